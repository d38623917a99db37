/** An ad as the provider names its fields. */
export interface NamedAd {
  id?: unknown;
  name?: unknown;
  type?: unknown;
  responsiveSearchAd?: { headlines?: readonly { text?: unknown }[] };
}

/**
 * The name of an ad for a reader: its own at the provider, else the first headline of a responsive search ad, else its type and id.
 * @returns null for an ad without any of them
 */
export function adName({ id, name, type, responsiveSearchAd }: NamedAd): string | null {
  const [first] = responsiveSearchAd?.headlines ?? [];
  const own = [name, first?.text].find((text): text is string => typeof text === "string" && text.trim() !== "");
  if (own !== undefined) return own.trim();
  return [type, id].filter((part) => part !== undefined && part !== null && part !== "").join(" ") || null;
}
