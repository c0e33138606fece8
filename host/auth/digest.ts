import crypto from 'node:crypto';

/**
 * The SHA-256 of a secret. Secrets are compared and looked up by it: all digests have one length, and how far two of them
 * agree says nothing of the texts, so that the time it takes tells nothing of a secret.
 */
export class Digest {
  readonly #bytes: Buffer;

  constructor(secret: string) {
    this.#bytes = sha256(secret);
  }

  /** For use as the key of a map. */
  get text(): string {
    return this.#bytes.toString('base64');
  }

  equals(other: Digest): boolean {
    return crypto.timingSafeEqual(this.#bytes, other.#bytes);
  }
}

/** In one call where Node.js has it (20.12): a hash object is a handle outside the heap, which each collection has to look after. */
function sha256(text: string): Buffer {
  return crypto.hash ? crypto.hash('sha256', text, 'buffer') : crypto.createHash('sha256').update(text).digest();
}
