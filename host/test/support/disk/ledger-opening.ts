import { Ledger } from '../../../storage/ledger/ledger.js';

/** A program: opens the ledger in the folder of its first argument, and closes it. */
const ledger = await Ledger.open(process.argv[2]!);
await ledger.close();
