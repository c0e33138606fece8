import crypto from 'node:crypto';

/**
 * The SHA-256 of a secret. Secrets are compared and looked up by their digests: all have the same length, and two digests that
 * share a prefix say nothing about the texts, so the time of a comparison reveals nothing about a secret.
 */
export class Digest {
  readonly #bytes: Buffer;

  constructor(secret: string) {
    this.#bytes = sha256(secret);
  }

  /** Base64, to be used as the key of a map. */
  get text(): string {
    return this.#bytes.toString('base64');
  }

  equals(other: Digest): boolean {
    return crypto.timingSafeEqual(this.#bytes, other.#bytes);
  }
}

/** In one call where Node.js has it (20.12): a hash object is a native handle, which every garbage collection has to trace. */
function sha256(text: string): Buffer {
  return crypto.hash ? crypto.hash('sha256', text, 'buffer') : crypto.createHash('sha256').update(text).digest();
}
