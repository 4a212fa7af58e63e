import { useNavigate } from '@tanstack/react-router'

/** Changes parameters of the URL; undefined removes one. `always` is part of every change: it resets pages. */
export function useChange(always: object = {}): (values: object, options?: { resetScroll?: boolean }) => void {
  const navigate = useNavigate()
  return (values, options) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...always, ...values }), ...options })
}
