import type { Dictionary } from '../en.ts'

export const access: Pick<Dictionary, 'access'> = {
  access: {
    log: 'Qui a lu quoi',
    logText: 'Par clé ou session, requête et minute, et ce qui a été fait à la main. Écrit environ chaque minute.',
    noLog: 'Personne n’a encore rien lu',
    at: 'Quand',
    who: 'Clé ou session',
    what: 'Requête ou acte',
    requests: 'Requêtes',
    documents: 'Remis',
    older: 'Plus anciens',
    thisSession: 'cette session',
    endsSoon: (time) => `Votre session prend fin le ${time}.`,
    endsForGood: (time) => `Votre session prend fin le ${time}. Pour revenir ensuite, demandez un nouveau lien.`,
    toRenewal: 'La prolonger, ou ajouter une clé d’accès',
    sees: 'Voit',
    everything: 'Tous les établissements',
    renewableUntil: 'Au plus tard jusqu’au',
    howRenewed:
      'Prolonger fait durer la session aussi longtemps à partir de maintenant, sans jamais dépasser la date limite : au-delà, demandez un nouveau lien à la personne qui exploite le serveur.',
    notRenewable:
      'Le lien qui vous a amené ici ne permet ni prolongation ni clé d’accès : demandez-en un nouveau quand la session aura pris fin.',
    notOfKind: {
      operator:
        'L’exploitant se connecte chaque fois par un nouveau lien : cette session ne se prolonge pas et n’a pas de clés d’accès.',
      key: 'La session a été ouverte avec une clé d’API, qui en ouvre une autre : elle ne se prolonge pas et n’a pas de clés d’accès.',
    },
    renew: 'Prolonger la session',
    renewed: (time) => `La session dure maintenant jusqu’au ${time}.`,
    addTitle: 'Ajouter une clé d’accès',
    addText:
      'Avec une clé d’accès (passkey), vous vous connectez par l’empreinte, le visage ou le code de votre appareil, sans lien. Elle ouvre ce que cette session ouvre, et rien de plus.',
    noAddress: (origin) =>
      `Les clés d’accès demandent une adresse avec un nom et https, ou http://localhost. Cette page est à l’adresse ${origin}.`,
    noBrowser: 'Ce navigateur ne gère pas les clés d’accès.',
    device: 'Appareil',
    deviceHint: 'Vous la reconnaîtrez à ce nom.',
    add: 'Ajouter une clé d’accès',
    addedNow: 'La clé d’accès est ajoutée. La prochaine fois, choisissez « Se connecter par clé d’accès ».',
    brokenOff: 'Rien n’a été fait : l’appareil n’a pas donné son accord, ou il a déjà une telle clé d’accès.',
    notMade: (why) => `Le navigateur n’a pas créé de clé d’accès : ${why}`,
    passkeys: 'Clés d’accès',
    noPasskeys: 'Aucune clé d’accès',
    person: 'Personne',
    usedNow: 'de cette session',
    synced: 'aussi sur les autres appareils de cette personne',
    added: 'Ajoutée',
    lastUsed: 'Dernier usage',
    until: 'Jusqu’au',
    address: 'Adresse',
    remove: 'Retirer',
    removeTitle: 'Retirer la clé d’accès ?',
    removeText:
      'Elle ne connecte plus personne. Les sessions qu’elle a ouvertes, et les clés d’accès ajoutées dans celles-ci, prennent fin avec elle en quelques secondes. Supprimez-la aussi sur l’appareil.',
  },
}
