/** How one comes back to the console: renewal and passkeys; and who read what. */
export const access = {
  access: {
    log: 'Who read what',
    logText: 'By key or session, request and minute, and what was done by hand. Written about once a minute.',
    noLog: 'Nobody has read anything yet',
    at: 'When',
    who: 'Key or session',
    what: 'Request or act',
    requests: 'Requests',
    documents: 'Handed out',
    older: 'Older',
    thisSession: 'this session',
    endsSoon: (time: string) => `Your session ends on ${time}.`,
    endsForGood: (time: string) => `Your session ends on ${time}. To come back after that, ask for a new link.`,
    toRenewal: 'Renew it, or add a passkey',
    sees: 'Sees',
    everything: 'All locations',
    renewableUntil: 'At the latest until',
    howRenewed:
      'A renewal lets the session last as long again from now on, and never beyond the latest date: for longer, ask whoever runs the server for a new link.',
    notRenewable:
      'The link that you came by allows no renewal and no passkey: ask for a new one when the session has ended.',
    notOfKind: {
      operator:
        'Who runs the installation signs in with a new link each time: this session is not renewed, and has no passkeys.',
      key: 'The session was opened with a key, which opens another one: it is not renewed, and has no passkeys.',
    },
    renew: 'Renew the session',
    renewed: (time: string) => `The session now lasts until ${time}.`,
    addTitle: 'Add a passkey',
    addText:
      'With a passkey you sign in by the fingerprint, the face or the PIN of your device, without a link. It opens what this session opens, and no more.',
    noAddress: (origin: string) =>
      `Passkeys need an address with a name and https, or http://localhost. This page is at ${origin}.`,
    noBrowser: 'This browser has no passkeys.',
    device: 'Device',
    deviceHint: 'By this name you will know it again.',
    add: 'Add a passkey',
    addedNow: 'The passkey was added. Next time, choose “Sign in with a passkey”.',
    brokenOff: 'Nothing was done: the device was asked and did not agree, or there is such a passkey on it already.',
    notMade: (why: string) => `The browser made no passkey: ${why}`,
    passkeys: 'Passkeys',
    noPasskeys: 'No passkey yet',
    person: 'Person',
    usedNow: 'of this session',
    synced: 'also on the other devices of its owner',
    added: 'Added',
    lastUsed: 'Last used',
    until: 'Until',
    address: 'Address',
    remove: 'Remove',
    removeTitle: 'Remove the passkey?',
    removeText:
      'It signs in no more. The sessions that it opened, and passkeys that were added in them, end with it within seconds. Delete it on the device as well.',
  },
}
