import { Type, type Static } from 'typebox'
import { closed, Count, Datetime, Nullable } from '../../../core/contract/scalars.ts'

const vkey = 'tillgate.example/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/5f0c21ab+b0a1c2d3+AT8…'

/** A signed head of the tree over the journal, as journaled. */
export const Checkpoint = Type.Object(
  {
    size: Count({ description: 'Number of journal entries that it covers.', examples: [48211] }),
    sequence: Count({ description: 'Sequence of the last entry that it covers.', examples: [48211] }),
    root: Type.String({
      description: 'Root of the tree (RFC 6962) over the hashes of the covered entries, in base64.',
      examples: ['CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='],
    }),
    origin: Type.String({
      description:
        'Name of the log and the key, composed of the installation, the location and the epoch of its journal.',
      examples: ['tillgate.example/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/5f0c21ab'],
    }),
    createdAt: Datetime(),
    note: Type.String({ description: 'The checkpoint as text (c2sp.org/tlog-checkpoint), with its signatures.' }),
    keys: Type.Array(Type.String(), {
      description: 'Verifier keys of the signatures (c2sp.org/signed-note), newest first.',
      examples: [[vkey]],
    }),
    rotation: Nullable(Type.String(), {
      description:
        'In the first checkpoint of a new key: a note in which the previous key and the new key sign the new key.',
      examples: [null],
    }),
  },
  { ...closed, title: 'Checkpoint' },
)

export const CheckpointPage = Type.Object(
  {
    data: Type.Array(Checkpoint, { description: 'Ordered newest first.' }),
    meta: Type.Object(
      { totalCount: Count(), currentPageIndex: Count(), totalPage: Count(), pageSize: Count() },
      closed,
    ),
  },
  { ...closed, title: 'CheckpointPage' },
)

export const CheckpointKeys = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Verifier key (c2sp.org/signed-note).', examples: [vkey] }),
          firstSize: Count({ description: 'First checkpoint that it signed.', examples: [120] }),
          lastSize: Count({ description: 'Last checkpoint that it signed.', examples: [48211] }),
          rotation: Nullable(Type.String(), {
            description: 'Note in which the previous key signed it; null for the first key, and if the note was lost.',
            examples: [null],
          }),
        },
        { ...closed, title: 'CheckpointKey' },
      ),
      { description: 'Ordered newest first.' },
    ),
  },
  { ...closed, title: 'CheckpointKeys' },
)

export type Checkpoint = Static<typeof Checkpoint>
export type CheckpointPage = Static<typeof CheckpointPage>
export type CheckpointKeys = Static<typeof CheckpointKeys>
