/** Our own version; also the version of the database format that a folder is marked with. */
export const VERSION = '0.1.0';
