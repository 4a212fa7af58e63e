import type { Dictionary } from '../en.ts'
import { peu } from '../plural.ts'

export const closings: Pick<Dictionary, 'closings'> = {
  closings: {
    intro:
      'Chaque clôture additionne les entrées du journal depuis la précédente, avec les totaux perpétuels. Elle ne change jamais : ce qui arrive en retard figure dans une clôture suivante.',
    period: 'Clôtures',
    periods: { day: 'journalière', month: 'mensuelle', year: 'annuelle' },
    lists: { day: 'Journalières', month: 'Mensuelles', year: 'Annuelles (exercices)' },
    none: { month: 'Aucun mois n’est encore clôturé', year: 'Aucun exercice n’est encore clôturé' },
    yearTo: (date) => `Exercice clos le ${date}`,
    nothing: 'Rien n’est encore clôturé',
    nothingText: 'Un comptable lance la première clôture ; ensuite, chaque journée est clôturée automatiquement.',
    beginText:
      'La première clôture additionne toutes les journées jusqu’à hier. Ensuite, chaque journée est clôturée automatiquement dès qu’elle est complète, au plus tard 36 heures après sa fin.',
    begin: (day) => `Clôturer jusqu’au ${day}`,
    beginCounts: (orders, days, sales) => `${peu(orders, 'commande', 'commandes')}, ${days}, ${sales}.`,
    forGood: 'Une clôture ne peut être ni modifiée ni annulée.',
    detail: (period, number) => `Clôture ${period} n° ${number}`,
    download: 'Télécharger en JSON',
    entries: 'Entrées du journal',
    fromTo: (from, to) => `de ${from} à ${to}`,
    unknownTill: 'une caisse',
    perpetual: 'Total perpétuel',
    perpetualTax: 'TVA perpétuelle',
    taxes: 'TVA de la clôture',
    payments: 'Règlements de la clôture',
    days: 'Journées de la clôture',
    checkpoints: 'Points de contrôle signés',
    noCheckpoint: 'Le journal n’est pas encore signé',
    noCheckpointText:
      'Chaque clôture est signée dès que l’exploitant a créé une clé et l’a indiquée dans TILLGATE_CHECKPOINT_KEY :',
    signedAt: 'Dernière signature',
    size: 'Entrées signées',
    origin: 'Nom du registre',
    root: 'Racine de l’arbre',
    count: 'Points de contrôle à ce jour',
    keep: 'À garder ailleurs',
    keepText:
      'Gardez chaque point de contrôle, et un exemplaire de la clé de vérification, là où ce serveur ne peut pas écrire : chez votre comptable, dans une messagerie, sur papier. Ils permettent de découvrir si le journal a été réécrit après coup.',
    saveNote: 'Enregistrer le point de contrôle',
    copyNote: 'Copier le point de contrôle',
    copyKey: 'Copier la clé de vérification',
    keyOf: (first, last) => `Clé de vérification des points de contrôle ${first} à ${last}`,
    verify: 'Comment vérifier',
    verifyText:
      'Un ticket accompagné de sa preuve se vérifie sans ce serveur, sur une page qui fonctionne aussi hors ligne.',
    verifyCommand: 'Cette commande vérifie tout le journal :',
    verifyPage: 'La page de vérification',
  },
}
