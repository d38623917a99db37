import { domainToASCII } from "node:url";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/;
/** The full stops that separate labels beside the ASCII one (RFC 3490 §3.1). */
const OTHER_STOPS = /[\u3002\uff0e\uff61]/g;
/** Behind a label, so that one of digits alone is not read as the number of an address. */
const SUFFIX = ".a";

/** A label in ASCII; one that no domain may have stays as it is. */
function asciiLabel(label: string): string {
  if (ASCII.test(label)) return label;
  const converted = domainToASCII(`${label}${SUFFIX}`);
  return converted.endsWith(SUFFIX) ? converted.slice(0, -SUFFIX.length) : label;
}

/**
 * A host or domain name in the form that is stored and compared: ASCII (RFC 5891), lower case, without the dot at its end. Wildcards and
 * labels with an underscore stay. Every name that a provider reports goes through here before anything compares it (assets §6).
 * @param reported in Unicode or ASCII, as a provider or a person writes it
 */
export function asciiName(reported: string): string {
  const name = reported.trim().replace(OTHER_STOPS, ".").replace(/\.+$/, "");
  return name.split(".").map(asciiLabel).join(".").toLowerCase();
}
