/** The README of an archive, in the languages of its readers. */
export const readMe = {
  'LISEZ-MOI.txt': (of: string) => `Archive de ${of}

Cette archive contient tout ce que les caisses ont envoyé pendant l’exercice, dans l’ordre, avec les clôtures, les écritures émises
et les tables. Tous les fichiers sont du texte (JSON, CSV) ; aucun programme particulier n’est nécessaire.

Elle se vérifie de trois manières, sans le logiciel qui l’a écrite :
1. sha256sum -c sha256sums.txt
2. ouvrir verify.html dans un navigateur et y déposer le ZIP, ou : node verify.mjs archive . "<clé de vérification>"
   (Node 20 ou plus récent ; prenez la clé, et en cas de doute le script, ailleurs que dans cette archive)
3. à la main, d’après docs/journal.txt et docs/proofs.txt

Ce qui est prouvé : qu’aucune entrée du journal n’a été modifiée, retirée ou ajoutée depuis qu’elle a été signée, que l’exercice est
complet d’après sa clôture, et que les clôtures, les lots émis et les points de contrôle sont ceux du journal. Les tables, le fichier FEC et les textes
sont signés tels quels ; ce qui n’a pas été vérifié est nommé (“not checked”).
Ce qui n’est pas prouvé : que les caisses ont tout envoyé, et ce qui s’est passé avant la réception.
L’archive contient des noms de personnel et de clients : conservez-la chiffrée.
`,
  'READ-ME.txt': (of: string) => `Archive of ${of}

It contains everything that the tills sent in the fiscal year, in order, with closings, issued booking entries and tables. All files are text (JSON, CSV);
no special software is needed.

You can verify it in three ways, without the software that wrote it:
1. sha256sum -c sha256sums.txt
2. open verify.html in a browser and choose the ZIP, or: node verify.mjs archive . "<verifier key>"
   (Node 20 or later; get the key, and if in doubt the script, separately from this archive)
3. by hand, from docs/journal.txt and docs/proofs.txt

It proves that no entry of the journal was changed, removed or added since it was signed, that the year is complete according to its closing, and that
closings, issued batches and checkpoints match the journal. Tables, the FEC file and the texts are signed as written; what
was not checked is named (“not checked”).
It does not prove that the tills sent everything, or what happened before a record was received.
The archive contains names of staff and guests: keep it encrypted.
`,
} as const
