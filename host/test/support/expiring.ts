const FIRST_MS = 1500;
const MAX_MS = 60_000;

/**
 * Makes something that expires soon, and returns it after `isGood` has accepted it. On a busy machine it may expire before that: then
 * it is made again, with twice the time.
 * @param make is called with the time of expiry
 */
export async function expiringSoon<T>(
  make: (expiresAt: string) => Promise<T>,
  isGood: (made: T) => Promise<boolean>,
): Promise<T> {
  for (let time = FIRST_MS; time <= MAX_MS; time *= 2) {
    const made = await make(new Date(Date.now() + time).toISOString());
    if (await isGood(made)) return made;
  }
  throw new Error('it has expired whenever it was looked at');
}
