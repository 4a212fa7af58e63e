import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** The CBOR values that WebAuthn needs here (RFC 8949): integers, texts, bytes and maps. */
type Cbor = number | string | Buffer | Map<number | string, Cbor>

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  return value < 256
    ? Buffer.from([(major << 5) | 24, value])
    : Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [encode(key), encode(one)])])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

const userPresent = 0x01
const userVerified = 0x04
const hasCredential = 0x40

/** Deviations from an honest browser. */
export type Twist = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  /** The user is not verified: no fingerprint, face or PIN. */
  isUnverified?: boolean
  userHandle?: string
  /** Signs with another key. */
  by?: KeyObject
  counter?: number
}

/** A software authenticator that follows WebAuthn Level 2: it stores a passkey and signs with it (ES256). */
export class Authenticator {
  readonly id = randomBytes(16)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #counter = 0
  #userHandle = ''

  #clientData(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #data(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  /** Makes a passkey (`navigator.credentials.create`). */
  create(options: any, origin: string, twist: Twist = {}): object {
    this.#userHandle = options.user.id
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
    const flags = userPresent | hasCredential | (twist.isUnverified ? 0 : userVerified)
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, encode(key)])
    const authData = Buffer.concat([this.#data(twist.rpId ?? options.rp.id, flags, this.#counter), attested])
    const statement = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    const clientData = this.#clientData(
      twist.type ?? 'webauthn.create',
      twist.challenge ?? options.challenge,
      twist.origin ?? origin,
    )
    const id = this.id.toString('base64url')
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: encode(statement).toString('base64url'),
      transports: ['internal'],
    }
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  /** Signs with the passkey (`navigator.credentials.get`); each time the counter rises by one. */
  get(options: any, origin: string, twist: Twist = {}): object {
    this.#counter += 1
    const flags = userPresent | (twist.isUnverified ? 0 : userVerified)
    const data = this.#data(twist.rpId ?? options.rpId, flags, twist.counter ?? this.#counter)
    const clientData = this.#clientData(
      twist.type ?? 'webauthn.get',
      twist.challenge ?? options.challenge,
      twist.origin ?? origin,
    )
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), twist.by ?? this.#keys.privateKey)
    const id = this.id.toString('base64url')
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: twist.userHandle ?? this.#userHandle,
    }
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}
