// Runs before the page is painted, and before the application: the theme that was chosen, and the one policy of
// Trusted Types. React Aria's announcer empties an element by assigning ''; nothing else may become markup.
;(() => {
  try {
    const theme = localStorage.getItem('tillgate-theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // Storage may be closed to the page: then the system's theme holds.
  }
  if (window.trustedTypes === undefined) return
  const refuse = (text) => {
    if (text !== '') throw new TypeError('the console makes no markup from text')
    return ''
  }
  window.trustedTypes.createPolicy('default', { createHTML: refuse })
})()
