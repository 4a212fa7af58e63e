import type { Dictionary } from '../en.ts'

const later = 'L’affichage reprend de lui-même ; ce que vous faisiez, réessayez dans un moment.'

const problems: Dictionary['problems'] = {
  validation_failed: ['La demande n’est pas valable', 'Corrigez ce qui est nommé ci-dessous, ou retirez le filtre.'],
  body_invalid: ['Ce qui a été envoyé est illisible', 'Réessayez ; si cela persiste, rechargez la page.'],
  request_malformed: [
    'La requête a été abîmée en chemin',
    'Réessayez ; si cela persiste, un proxy peut en être la cause.',
  ],
  too_many_events: ['Le rejeu désigne trop d’événements', 'Choisissez un intervalle plus court.'],
  nothing_usable: ['Rien n’a pu être enregistré', 'Corrigez ce qui est nommé ci-dessous.'],
  key_missing: ['Personne n’est connecté', 'Connectez-vous.'],
  key_unknown: ['Cette clé est inconnue', 'Vérifiez qu’elle a été copiée en entier, du premier au dernier caractère.'],
  key_expired: ['Cette clé a expiré', 'Demandez-en une nouvelle à la personne qui exploite le serveur.'],
  key_revoked: ['Cette clé a été révoquée', 'Demandez-en une nouvelle à la personne qui exploite le serveur.'],
  session_missing: ['Personne n’est connecté', 'Connectez-vous.'],
  session_ended: ['La session est terminée', 'Reconnectez-vous.'],
  passkey_refused: [
    'Cette clé d’accès ne connecte pas ici',
    'Elle a été retirée, a pris fin, ou est d’une autre adresse. Connectez-vous par un lien, puis ajoutez-en une nouvelle.',
  ],
  passkey_not_found: ['Cette clé d’accès n’existe pas', 'Elle a peut-être été retirée : rechargez la liste.'],
  passkey_limit: ['Il y a déjà autant de clés d’accès que possible', 'Retirez-en une qui ne sert plus.'],
  passkey_known: ['Cet appareil a déjà une clé d’accès', 'Connectez-vous avec elle, ou retirez-la d’abord.'],
  session_not_renewable: [
    'La session ne peut pas durer plus longtemps',
    'Le lien dont elle vient ne permet pas davantage : demandez-en un nouveau.',
  ],
  code_invalid: [
    'Ce lien ne fonctionne plus',
    'Il a déjà servi, est trop ancien ou incomplet. Demandez-en un nouveau.',
  ],
  cross_site: [
    'La requête semble venir d’un autre site',
    'Ouvrez la console à sa propre adresse et rechargez la page.',
  ],
  console_insecure: [
    'La connexion exige un lien chiffré',
    'Ouvrez la console en https, ou sur la machine même à 127.0.0.1.',
  ],
  scope_missing: [
    'Cette session n’a pas ce droit',
    'Demandez à la personne qui exploite le serveur une clé ou un lien avec le droit nommé ci-dessous.',
  ],
  location_required: ['Aucun établissement n’est choisi', 'Choisissez-en un dans la barre du haut.'],
  location_forbidden: [
    'Cette session n’a pas accès à cet établissement',
    'Choisissez l’un des vôtres dans la barre du haut.',
  ],
  recipient_forbidden: ['Cela appartient à un autre destinataire', 'Utilisez le destinataire de votre clé.'],
  location_inactive: [
    'L’établissement n’est pas actif',
    'La personne qui exploite le serveur l’a désactivé et peut le réactiver.',
  ],
  route_not_found: [
    'Le serveur ne connaît pas ce que l’écran demande',
    'Rechargez la page : le serveur a peut-être changé de version.',
  ],
  version_unsupported: [
    'Le serveur ne parle pas cette version',
    'Rechargez la page : le serveur a peut-être changé de version.',
  ],
  order_not_found: [
    'Cette commande n’existe pas ici',
    'Une commande appartient à un établissement : choisissez le bon en haut, ou cherchez le numéro.',
  ],
  report_not_found: ['Ce Z n’existe pas ici', 'Un Z appartient à un établissement : choisissez le bon en haut.'],
  entry_not_found: [
    'Le journal n’a pas cette écriture',
    'Ses numéros s’arrêtent à la tête ; quelques-uns, sautés, n’ont pas d’écriture.',
  ],
  verification_not_found: [
    'Cette vérification n’est plus conservée',
    'Les 100 dernières d’un établissement le sont : lancez-en une autre.',
  ],
  entry_source_not_found: [
    'Il n’y a rien à comptabiliser ici',
    'Choisissez un Z ou un jour qui a de quoi être comptabilisé.',
  ],
  batch_not_found: ['Ce lot n’existe pas', 'La liste montre ceux qui ont été émis.'],
  entry_refused: [
    'Cela ne peut pas être comptabilisé tel quel',
    'Voyez les raisons ; un comptable peut accepter le Z malgré tout.',
  ],
  books_incomplete: [
    'Tout ne peut pas encore être comptabilisé',
    'Réglez ce qui est nommé ci-dessous, acceptez le Z, ou laissez-le de côté.',
  ],
  accounts_unmapped: [
    'Des noms n’ont pas de compte',
    'Donnez d’abord un compte à chacun : ce qui est émis ne change plus.',
  ],
  batch_exists: ['Un lot a été émis entre-temps', 'Voyez la liste : le vôtre y est peut-être déjà.'],
  batch_changed: ['Ce qui est à émettre a changé depuis le décompte', 'Recomptez, puis émettez.'],
  closing_not_found: ['Cette clôture n’existe pas', 'La liste montre celles qui ont été faites.'],
  closing_exists: ['Une journée a été clôturée entre-temps', 'Voyez la liste : la vôtre y est peut-être déjà.'],
  checkpoint_not_found: ['Rien n’a encore été signé', 'Demandez à l’exploitant de signer le journal.'],
  not_checkpointed: ['Ce n’est pas encore signé', 'La prochaine clôture le signera.'],
  signing_off: ['Le serveur ne signe rien', 'L’exploitant doit d’abord créer une clé.'],
  format_unsuitable: ['Ce fichier n’existe qu’en euros', 'Choisissez un autre format.'],
  accounts_changed: ['Les comptes ont changé entre-temps', 'Rechargez la page et recommencez.'],
  webhook_not_found: ['Ce webhook n’existe pas', 'Il a peut-être été supprimé ; la liste montre ceux qui existent.'],
  source_not_found: [
    'Cette source n’existe pas',
    'Elle a peut-être été supprimée ; la liste montre celles qui existent.',
  ],
  source_inactive: ['La source est en pause ou arrêtée', 'Reprenez-la d’abord.'],
  source_failed: [
    'Le système de la source ne répond pas comme il faut',
    'Ce qu’il dit figure ci-dessous : vérifiez d’abord le compte, le secret et ses droits.',
  ],
  bell_refused: [
    'La sonnette n’a pas été actionnée par le système de la source',
    'Vérifiez la clé avec laquelle le système signe.',
  ],
  location_not_found: ['Cet établissement n’existe pas', 'Choisissez-en un autre dans la barre du haut.'],
  delivery_not_found: [
    'Cet essai n’est plus dans le journal des envois',
    'Les essais en sortent après un temps : regardez-en de plus récents.',
  ],
  key_not_found: ['Cette clé n’existe pas', 'Rechargez la liste.'],
  session_not_found: ['Cette session n’existe pas', 'Elle est peut-être terminée : rechargez la liste.'],
  method_not_allowed: [
    'Le serveur n’accepte pas cela',
    'Rechargez la page : le serveur a peut-être changé de version.',
  ],
  request_timeout: ['La requête a mis trop de temps à arriver', 'Réessayez.'],
  webhook_ambiguous: ['Plusieurs webhooks correspondent', 'Ouvrez celui qui est visé et modifiez-le là.'],
  sequence_ahead: ['Le journal ne va pas jusque-là', 'Il a peut-être été ramené en arrière : repartez de sa tête.'],
  documents_aside: [
    'Cela se trouve dans une archive',
    'Les anciennes versions d’exercices clos ont été mises à part : demandez à l’exploitant de les remettre en place.',
  ],
  epoch_changed: ['Le journal a recommencé', 'Ses numéros désignent d’autres changements : rechargez la page.'],
  webhook_limit: ['L’établissement a atteint son maximum de webhooks', 'Supprimez-en un qui ne sert plus.'],
  location_exists: ['Cet établissement existe déjà', 'Prenez un autre identifiant, ou laissez-le vide.'],
  key_ended: ['La clé n’est plus valable', 'Créez-en une autre.'],
  webhook_stopped: [
    'L’exploitant a arrêté le webhook',
    'Adressez-vous à l’exploitant du serveur : lui seul peut le relancer.',
  ],
  webhook_disabled: ['Le webhook est désactivé', 'Activez-le d’abord.'],
  replay_running: ['Un rejeu est en cours', 'Attendez la fin de son envoi, puis réessayez.'],
  incomplete: ['Les journées ne sont pas complètes', 'Attendez les caisses nommées ci-dessous.'],
  webhook_id_taken: ['L’identifiant est déjà pris', 'Prenez-en un autre, ou laissez-le vide.'],
  body_too_large: ['C’est trop à la fois', 'Envoyez-en moins.'],
  media_type_unsupported: [
    'Le serveur n’accepte pas ce format',
    'Rechargez la page : le serveur a peut-être changé de version.',
  ],
  host_unknown: [
    'Le serveur n’est pas connu sous ce nom',
    'Ouvrez la console à l’adresse donnée au serveur, ou à 127.0.0.1.',
  ],
  headers_too_large: [
    'Le navigateur envoie trop avec chaque requête',
    'Supprimez les cookies de ce site et reconnectez-vous.',
  ],
  rate_limited: ['Trop de requêtes', later],
  too_much_at_once: ['Trop de données arrivent à la fois', later],
  too_many_under_way: ['Trop d’opérations sont en cours', later],
  shutting_down: ['Le serveur va s’arrêter', later],
  internal_error: [
    'Une erreur s’est produite dans le serveur',
    'Réessayez. Si cela persiste, donnez à la personne qui l’exploite le numéro de requête ci-dessous.',
  ],
  overloaded: ['Le serveur est surchargé', later],
  figures_building: [
    'Les chiffres sont en cours de calcul',
    'Ils arrivent d’eux-mêmes ; les commandes restent lisibles entre-temps.',
  ],
  journal_rewound: [
    'La base est revenue à un état plus ancien',
    'Rien n’est écrit avant que la personne qui exploite le serveur n’ait regardé.',
  ],
  database_went_back: [
    'Le serveur de base de données est un ancien',
    'L’exploitant doit intervenir. Réessayez plus tard.',
  ],
  database_unavailable: [
    'La base de données ne répond pas',
    `${later} Si cela persiste, prévenez la personne qui exploite le serveur.`,
  ],
  sequence_not_reached: ['Le serveur n’en est pas encore là', later],
  disk_low: [
    'Le serveur n’a presque plus de disque',
    'Rien n’a été enregistré. La personne qui exploite le serveur doit en libérer.',
  ],
  database_full: [
    'La base n’a plus de place',
    'La personne qui exploite le serveur doit lui donner du disque ou de la mémoire.',
  ],
  unexpected_answer: [
    'Ce n’est pas Tillgate qui a répondu',
    'Quelque chose entre ici et le serveur a répondu à sa place : réessayez dans un moment.',
  ],
}

const faults: Dictionary['faults'] = {
  missing: 'manque',
  unknown_field: 'est inconnu : à retirer',
  unknown_parameter: 'est inconnu : à retirer',
  repeated_parameter: 'est donné deux fois',
  invalid_type: 'n’est pas du bon type',
  invalid_value: 'n’est pas une des valeurs permises',
  invalid_format: 'n’a pas la forme demandée',
  invalid_uuid: 'n’est pas un identifiant : 36 caractères avec quatre tirets',
  invalid_datetime: 'n’est pas une heure qui existe',
  out_of_range: 'est trop petit ou trop grand',
  too_short: 'est trop court',
  too_long: 'est trop long',
  duplicate_key: 'y figure deux fois',
  invalid_json: 'n’est pas du JSON',
  invalid_utf8: 'n’est pas en UTF-8',
  invalid_text: 'contient des caractères qu’aucun texte n’a',
  invalid_number: 'a trop de chiffres',
  line_too_long: 'est trop long',
  unknown_type: 'est d’un type inconnu',
  clock_ahead: 'est encore à venir : réglez l’horloge de la caisse',
  wrong_location: 'appartient à un autre établissement',
  external_id_taken: 'est enregistré sous un autre identifiant',
  ticket_differs: 'n’est pas ce que font ses lignes',
  since_after_until: 'se termine avant de commencer',
  range_too_long: 'est une période trop longue',
  unknown_event: 'n’est pas un événement',
  invalid_cursor: 'est d’une autre liste : repartez de la première page',
  endpoint_url_invalid: 'n’est pas une adresse qu’on peut appeler',
  endpoint_url_too_long: 'est trop long',
  endpoint_url_scheme: 'doit commencer par https',
  endpoint_url_credentials: 'ne doit contenir ni nom ni mot de passe',
  endpoint_url_address: 'ne peut pas être appelée : prenez une adresse publique',
}

export const told = { problems, faults }
