// Runs before the page is painted, and before the application: the theme that was chosen, the place of the icon, which is named
// from the first address and looked for again at each further one, and the one policy of Trusted Types. React Aria's announcer empties an element by assigning ''; nothing else may become markup.
;(() => {
  try {
    const theme = localStorage.getItem('tillgate-theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // Storage may be closed to the page: then the system's theme holds.
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
