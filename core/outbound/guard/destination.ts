const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : url);

/**
 * Whether two addresses have the same scheme, host and port. A stored secret goes only to the destination it was saved for: a setting with
 * another one needs the secret again (conventions §16).
 */
export const isSameDestination = (one: string | null, other: string | null): boolean => originOf(one) === originOf(other);
