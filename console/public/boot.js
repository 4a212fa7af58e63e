// Runs before the first paint and before the application. Sets the chosen theme, makes the address of the icon absolute,
// because a relative one would be resolved again after each navigation, and sets the only policy of Trusted Types: React
// Aria's announcer empties an element by assigning ''; no other text may become markup.
;(() => {
  try {
    const theme = localStorage.getItem('tillgate-theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // If the browser denies access to storage, the system's theme is used.
  }
  const icon = document.querySelector('link[rel=icon]')
  if (icon !== null) icon.setAttribute('href', icon.href)
  if (window.trustedTypes === undefined) return
  const refuse = (text) => {
    if (text !== '') throw new TypeError('the console makes no markup from text')
    return ''
  }
  window.trustedTypes.createPolicy('default', { createHTML: refuse })
})()
