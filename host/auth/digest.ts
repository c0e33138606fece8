import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The SHA-256 of a secret. Secrets are compared and looked up by it: all digests have one length, and how far two of them
 * agree says nothing of the texts, so that the time it takes tells nothing of a secret.
 */
export class Digest {
  readonly #bytes: Buffer;
  /** For use as the key of a map. */
  readonly text: string;

  constructor(secret: string) {
    this.#bytes = createHash('sha256').update(secret).digest();
    this.text = this.#bytes.toString('base64');
  }

  equals(other: Digest): boolean {
    return timingSafeEqual(this.#bytes, other.#bytes);
  }
}
