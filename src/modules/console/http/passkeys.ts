import { hashKey, newToken } from '../../../core/domain/accounts/keys.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import type { PasskeyAnswer } from '../schemas/console.ts'
import type { HeldSession } from '../../../core/http/server-types.ts'
import {
  findPasskey,
  keepChallenge,
  takeChallenge,
  usePasskey,
  type HeldPasskey,
  type NewPasskey,
  type PasskeyRow,
} from '../store/passkeys.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'

/** Loads the library on the first use of a passkey: most servers never need it. */
const library = () => import('@simplewebauthn/server')

type Library = Awaited<ReturnType<typeof library>>

/** Time in which a person must answer a challenge, in milliseconds. */
const answerMs = 5 * 60_000

/** Limit of open challenges, over all callers, including those without a session. */
const challengesAtMost = 10_000

/** The common algorithms of authenticators: ES256, EdDSA, RS256, by their COSE numbers. */
const algorithms = [-7, -8, -257]

/** Returns the relying party id. The origin is more specific, and both are checked. */
const hostOf = (origin: string) => new URL(origin).hostname

async function newChallenge({ pool, clock }: Process, origin: string, sessionId: string | null): Promise<string> {
  const challenge = newToken('tgw_')
  const endsAt = new Date(clock().getTime() + answerMs)
  await keepChallenge(pool, { hash: hashKey(challenge), sessionId, origin, endsAt }, challengesAtMost)
  return challenge
}

/** Returns the challenge of an answer, as the browser wrote it; undefined if it is not readable. */
function challengeOf({ response }: PasskeyAnswer): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(String(response['clientDataJSON']), 'base64url').toString('utf8'))
    return Buffer.from(String(data.challenge), 'base64url').toString('utf8')
  } catch {
    return undefined
  }
}

/** Consumes the challenge that was answered, so that a repeated answer is refused. */
async function takeAnswered(
  { pool, clock }: Process,
  answer: PasskeyAnswer,
  { origin, sessionId }: { origin: string; sessionId: string | null },
): Promise<string | undefined> {
  const challenge = challengeOf(answer)
  if (challenge === undefined) return undefined
  const isOurs = await takeChallenge(pool, { hash: hashKey(challenge), sessionId, origin }, clock())
  return isOurs ? Buffer.from(challenge).toString('base64url') : undefined
}

/** Resolves to the options for a new passkey: the authenticator must verify its user, by fingerprint, face or PIN. */
export async function offerRegistration(
  context: Process,
  session: HeldSession & { grantId: string },
  { origin, known }: { origin: string; known: readonly PasskeyRow[] },
) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Tillgate',
    rpID: hostOf(origin),
    userID: Buffer.from(session.grantId),
    userName: session.name || 'Tillgate',
    userDisplayName: session.name,
    challenge: await newChallenge(context, origin, session.id),
    timeout: answerMs,
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

/** Reads a new passkey for a session. Throws 400 if it does not answer the challenge. */
export async function readRegistration(
  context: Process,
  session: HeldSession,
  { answer, label, origin }: { answer: PasskeyAnswer; label: string; origin: string },
): Promise<NewPasskey> {
  const expectedChallenge = await takeAnswered(context, answer, { origin, sessionId: session.id })
  const { verifyRegistrationResponse } = await library()
  const refused = (detail: string) =>
    validationFailed([{ in: 'body', pointer: '/answer', code: 'invalid_value', detail }])
  if (expectedChallenge === undefined)
    throw refused('answer does not match a request of the last five minutes: begin again')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: answer as unknown as Parameters<Library['verifyRegistrationResponse']>[0]['response'],
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message.slice(0, 200) : 'answer cannot be parsed')
  })
  if (!verified) throw refused('the signature in `answer` is not valid: begin again')
  const { credential, credentialDeviceType } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (credential.transports ?? []).map(String).slice(0, 10),
    isSynced: credentialDeviceType === 'multiDevice',
    origin,
    label,
  }
}

/** Resolves to the options for signing in: the authenticator chooses the passkey. */
export async function offerSignIn(context: Process, origin: string) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: hostOf(origin),
    challenge: await newChallenge(context, origin, null),
    timeout: answerMs,
    userVerification: 'required',
  })
}

/** Returns the signature counter if the passkey signed the challenge on a page of its origin, else undefined. */
async function countOf(passkey: HeldPasskey, answer: PasskeyAnswer, challenge: string): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as Parameters<Library['verifyAuthenticationResponse']>[0]['response'],
      expectedChallenge: challenge,
      expectedOrigin: passkey.origin,
      expectedRPID: hostOf(passkey.origin),
      requireUserVerification: true,
      // The database checks that the counter rises, because only the database sees simultaneous sign-ins
      // (`usePasskey`).
      credential: { id: passkey.credentialId, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the passkey that signed an answer, and records its use. Throws the same 401 for every fault. A counter that
 * did not rise means that the passkey was copied; the access log records this.
 */
export async function readSignIn(
  context: Guarding & Process,
  answer: PasskeyAnswer,
  origin: string,
): Promise<HeldPasskey> {
  const { pool, clock, access } = context
  const challenge = await takeAnswered(context, answer, { origin, sessionId: null })
  const now = clock()
  const passkey = challenge === undefined ? undefined : await findPasskey(pool, answer.id, now)
  if (challenge === undefined || passkey === undefined) throw new AppError('passkey_refused')
  const isGood = passkey.endedAt === null && passkey.endsAt > now && passkey.isKeyGood && passkey.origin === origin
  const { userHandle } = answer.response
  const isTheirs = userHandle === undefined || userHandle === Buffer.from(passkey.grantId).toString('base64url')
  const counter = isGood && isTheirs ? await countOf(passkey, answer, challenge) : undefined
  if (counter === undefined) throw new AppError('passkey_refused')
  if (await usePasskey(pool, passkey.id, { counter, at: now })) return passkey
  await access.sessionAct(passkey, 'passkey.refused', passkey.id)
  throw new AppError('passkey_refused')
}
