import { domainToASCII } from "node:url";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/;
/** Separators of labels other than the ASCII full stop (RFC 3490 §3.1). */
const OTHER_STOPS = /[\u3002\uff0e\uff61]/g;
/** Appended to a label, so that digits alone are not parsed as an IP address. */
const SUFFIX = ".a";

/** A label in ASCII; an invalid one stays unchanged. */
function asciiLabel(label: string): string {
  if (ASCII.test(label)) return label;
  const converted = domainToASCII(`${label}${SUFFIX}`);
  return converted.endsWith(SUFFIX) ? converted.slice(0, -SUFFIX.length) : label;
}

/**
 * A host or domain name in its stored, comparable form: ASCII (RFC 5891), lower case, without trailing dot. Wildcards and labels with an
 * underscore stay. Normalise every name from a provider with this before comparing it (assets §6).
 * @param reported in Unicode or ASCII, as written by a provider or a person
 */
export function asciiName(reported: string): string {
  const name = reported.trim().replace(OTHER_STOPS, ".").replace(/\.+$/, "");
  return name.split(".").map(asciiLabel).join(".").toLowerCase();
}
