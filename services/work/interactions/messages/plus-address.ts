/** The address without the part from the first plus in front of the at sign (RFC 5233: a detail of the same mailbox); null without one. */
export function withoutDetail(address: string): string | null {
  const at = address.lastIndexOf("@");
  const plus = address.indexOf("+");
  return plus > 0 && plus < at ? address.slice(0, plus) + address.slice(at) : null;
}

/** Addresses and those of the same mailboxes without a detail, each once. */
export const withBareAddresses = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.flatMap((address) => [address, withoutDetail(address) ?? address])),
];
