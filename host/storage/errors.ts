import { ApiError, apiError } from '../../bindings/errors.js';

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'no_space_left_on_device']);

/** Whether an error of the system or of RocksDB says that the disk, or a quota on it, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return FULL.has(String(code)) || /no space left|quota exceeded/i.test(String(message));
}

/** Whether an error says that another process has the ledger open. */
export function isLocked(error: unknown): boolean {
  return /lock file|LOCK:/.test(String((error as Error).message));
}

/** Whether an error is that of a failed system call (ENOSPC, EMFILE, EIO …), of Node.js or of RocksDB. */
export function isSystemError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return /^E[A-Z]+$/.test(String(code)) || /^IO error: /.test(String(message));
}

/** A disk error as clients see it. */
export function storageError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = (error as NodeJS.ErrnoException)?.code;
  if (isDiskFull(error)) return apiError('no_space_left_on_device', 'diskFull', { reason: text });
  if (code === 'EMFILE' || code === 'ENFILE' || /too many open files/i.test(text))
    return apiError('too_many_open_files', 'files', { reason: text });
  return apiError('io_error', 'database', { reason: text });
}

/**
 * A write to the ledger failed, and it is unknown whether it will be there after the next opening: files that it refers to must
 * be kept.
 */
export class DoubtfulWrite extends ApiError {
  constructor(reason: unknown) {
    const { code, message } = storageError(reason);
    super(code, message);
  }
}
