/**
 * Options of other servers of this interface that this one lacks: a launch that uses one fails with a hint about what to do
 * instead.
 */

const S3 =
  'snapshots are not sent to object storage: they are written to the folder of --snapshot-dir (see --schedule-snapshot); copy them from there';

const S3_FLAGS = [
  's3-bucket-url',
  's3-bucket-region',
  's3-bucket-name',
  's3-snapshot-prefix',
  's3-access-key',
  's3-secret-key',
  'experimental-s3-role-arn',
  'experimental-s3-web-identity-token-file',
  'experimental-s3-max-in-flight-parts',
  'experimental-s3-compression-level',
  'experimental-s3-signature-duration-seconds',
  'experimental-s3-multipart-part-size',
];

export interface RefusedOption {
  flag: string;
  /** The hint, printed after a colon. */
  instead: string;
  isSwitch?: boolean;
}

export const REFUSED_OPTIONS: readonly RefusedOption[] = [
  ...S3_FLAGS.map((flag) => ({ flag, instead: S3 })),
  {
    flag: 'experimental-replication-parameters',
    instead: 'clients cannot choose the uids of tasks; copy an instance with snapshots or POST /export',
    isSwitch: true,
  },
  {
    flag: 'experimental-legacy-search-default',
    instead: 'there is one way to search; leave it out',
    isSwitch: true,
  },
];
