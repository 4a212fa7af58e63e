/** Lists the modifier groups of the card: option name and supplement in cents. */
export const modifierCard: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Cuisson: { Bleu: 0, Saignant: 0, 'À point': 0, 'Bien cuit': 0 },
  Accompagnement: { Frites: 0, 'Salade verte': 0, 'Légumes de saison': 0, Riz: 0, 'Gratin dauphinois': 150 },
  Sauce: { Poivre: 0, Béarnaise: 0, Roquefort: 50, 'Sans sauce': 0 },
  'Supplément burger': { Bacon: 200, Cheddar: 150, 'Œuf au plat': 150, Avocat: 250 },
  Parfum: { Vanille: 0, Chocolat: 0, Pistache: 0, Framboise: 0 },
  Lait: { 'Lait entier': 0, 'Lait d’avoine': 50, 'Lait d’amande': 60 },
}

/** Groups with a mandatory option; options of the other groups are chosen occasionally. */
export const askedGroups: ReadonlySet<string> = new Set(['Cuisson', 'Accompagnement', 'Parfum'])

export const paymentNames = {
  card: 'Carte bancaire',
  cash: 'Espèces',
  mealCard: 'Carte titre-restaurant',
  mealVoucher: 'Titre-restaurant papier',
  giftCard: 'Carte cadeau',
  online: 'Carte en ligne',
  livreo: 'Livréo',
  croq: 'Croq Express',
  cheque: 'Chèque',
} as const

export type PaymentKey = keyof typeof paymentNames

/** Lists the delivery platforms: `source` of their orders, payment method, and format of their references. */
export const platforms = [
  { source: 'livreo', payment: 'livreo', prefix: 'LV', share: 65 },
  { source: 'croq-express', payment: 'croq', prefix: 'CX', share: 35 },
] as const

export type Platform = (typeof platforms)[number]

/** `percent` or `cents` is the discount; percent 100 makes the item free. */
export const discountCard = {
  loyalty: { name: 'Remise fidélité 10 %', percent: 10 },
  staff: { name: 'Repas du personnel 50 %', percent: 50 },
  student: { name: 'Remise étudiant 15 %', percent: 15 },
  gesture: { name: 'Geste commercial', cents: 500 },
  house: { name: 'Offert par la maison', percent: 100 },
} as const

export type DiscountKey = keyof typeof discountCard

export const reasons = {
  void: ['Erreur de saisie', 'Le client a changé d’avis', 'Rupture en cuisine', 'Attente trop longue'],
  loss: ['Tombé en salle', 'Erreur de cuisine', 'Renvoyé par le client', 'Casse'],
  waste: ['Invendu de fin de service', 'Date dépassée'],
  cancel: ['Client parti', 'Table ouverte par erreur', 'Commande en double'],
  platformCancel: ['Annulée par le client', 'Aucun livreur disponible', 'Adresse introuvable'],
  refund: ['Réclamation : commande remboursée', 'Commande payée deux fois'],
} as const
