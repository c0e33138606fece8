/** Our own version; also the version of the database format that a folder is marked with. */
export const VERSION = '0.1.0';

/** The version of the interface that is spoken: clients compare it with what they support. */
export const INTERFACE_VERSION = '1.50.0';
