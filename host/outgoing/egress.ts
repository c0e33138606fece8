import dns from 'node:dns';
import net, { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';

/**
 * Link-local addresses, where cloud providers expose the credentials of a machine; the last network is one of them behind NAT64.
 */
const LINK_LOCAL = networks(['169.254.0.0/16', 'fe80::/10', '64:ff9b::a9fe:0/112']);

/** A connection refused because of its destination. */
export class EgressError extends Error {}

/** The addresses that the server may connect to on behalf of users: webhooks, embedders, exports, remotes. */
export class EgressPolicy {
  /** All addresses but link-local ones: models and webhooks often run on the same host. */
  static readonly DEFAULT = new EgressPolicy((address) => !LINK_LOCAL.check(address, familyOf(address)));

  private constructor(private readonly permits: (address: string) => boolean) {}

  /**
   * Parses a policy.
   * @param text networks such as `10.0.0.0/8,fd00::/8`, to which connections are then restricted; `any` allows all
   * @returns null when an item is neither
   */
  static read(text: string): EgressPolicy | null {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.length === 0) return EgressPolicy.DEFAULT;
    const ranges = items.filter((item) => item !== 'any');
    if (!ranges.every(isNetwork)) return null;
    if (ranges.length < items.length) return new EgressPolicy(() => true);
    const allowed = networks(ranges);
    return new EgressPolicy((address) => allowed.check(address, familyOf(address)));
  }

  /** @param address IPv4 or IPv6; an IPv4-mapped IPv6 address is treated as IPv4 */
  allows(address: string): boolean {
    return this.permits(address);
  }
}

/**
 * An agent that connects only where the policy allows. Host names are checked after every lookup, so a changed DNS answer cannot
 * bypass the policy.
 */
export function egressAgent(policy: EgressPolicy): Agent {
  const lookup: LookupFunction = (hostname, options, done) => {
    dns.lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const allowed = found.filter(({ address }) => policy.allows(address));
      if (allowed.length === 0) return done(refused(hostname, found.map(({ address }) => address).join(', ')), []);
      if (options.all) done(null, allowed);
      else done(null, allowed[0]!.address, allowed[0]!.family);
    });
  };
  const connect = buildConnector({ lookup } as buildConnector.BuildOptions);
  return new Agent({
    connect(options, done) {
      const { hostname: host } = options;
      // Names are checked when they are resolved; addresses in a URL are never resolved.
      if (isIP(host) !== 0 && !policy.allows(host)) done(refused(host, host), null);
      else connect(options, done);
    },
  });
}

function refused(host: string, addresses: string): EgressError {
  return new EgressError(`the address of \`${host}\` (${addresses}) may not be called`);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return net.isIPv6(address) ? 'ipv6' : 'ipv4';
}

function isNetwork(text: string): boolean {
  const [address, bits, ...more] = text.split('/');
  const family = isIP(address!);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function networks(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string | undefined];
    const family = familyOf(address);
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}
