// The limit: a loop that only signs and posts. It stores nothing, so a crash loses the events not yet sent.
import { answer } from '../../support/child.ts'
import { createPost, readEvents } from './contestant.js'

let events = []
let post
let lanes = 0

answer({
  start: ({ url, secret, concurrency }) => {
    lanes = concurrency
    post = createPost({ url, secret, connections: concurrency })
  },
  load: ({ path }) => {
    events = readEvents(path)
  },
  go: async () => {
    let next = 0
    const lane = async () => {
      while (next < events.length) await post(events[next++])
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  },
})
