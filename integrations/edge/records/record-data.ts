import { asciiName } from "../../../core/values/host-name.ts";
import { locationIn } from "./location.ts";
import { isClosed, type RecordData, type Token, tokensOf } from "./zone-file.ts";

/** Reads one field; undefined for an invalid value. */
type Field = (value: string) => string | number | undefined;
type Reader = readonly (readonly [name: string, field: Field])[];

const upTo =
  (most: number): Field =>
  (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= most ? Number(value) : undefined;
const byte = upTo(0xff);
const short = upTo(0xffff);
const matching =
  (pattern: RegExp): Field =>
  (value) =>
    pattern.test(value) ? value : undefined;
const text = matching(/^.*$/s);
const hex = matching(/^(?:[0-9a-f]{2})+$/i);
const base64 = matching(/^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i);
/** A host name without its trailing dot. A dot alone is the root: no host, or the record's own name. */
const host: Field = (value) => {
  if (value === ".") return value;
  const name = asciiName(value);
  return /^(?=.{1,253}$)[!-~]+$/.test(name) && name.split(".").every((label) => label !== "" && label.length <= 63)
    ? name
    : undefined;
};

const CERTIFICATE: Reader = [
  ["usage", byte],
  ["selector", byte],
  ["matching_type", byte],
  ["certificate", hex],
];

/** The fields of each type in zone-file order. In a last field that is hexadecimal or base64, white space is ignored. */
const READERS: Readonly<Record<string, Reader>> = {
  // RFC 8659 §4.1
  CAA: [
    ["flags", byte],
    ["tag", matching(/^[a-z0-9]{1,15}$/i)],
    ["value", text],
  ],
  // RFC 4398 §2
  CERT: [
    ["type", short],
    ["key_tag", short],
    ["algorithm", byte],
    ["certificate", base64],
  ],
  // RFC 4034 §2
  DNSKEY: [
    ["flags", short],
    ["protocol", byte],
    ["algorithm", byte],
    ["public_key", base64],
  ],
  // RFC 4034 §5
  DS: [
    ["key_tag", short],
    ["algorithm", byte],
    ["digest_type", byte],
    ["digest", hex],
  ],
  // RFC 3403 §4
  NAPTR: [
    ["order", short],
    ["preference", short],
    ["flags", text],
    ["service", text],
    ["regex", text],
    ["replacement", host],
  ],
  // RFC 8162 §2
  SMIMEA: CERTIFICATE,
  // RFC 2782
  SRV: [
    ["priority", short],
    ["weight", short],
    ["port", short],
    ["target", host],
  ],
  // RFC 4255 §3
  SSHFP: [
    ["algorithm", byte],
    ["type", byte],
    ["fingerprint", hex],
  ],
  // RFC 6698 §2
  TLSA: CERTIFICATE,
  // RFC 7553 §4
  URI: [
    ["priority", short],
    ["weight", short],
    ["target", matching(/^.+$/s)],
  ],
};

/** Types whose zone-file form starts with a priority; the provider's listed content omits it. */
const LEADING_PRIORITY = new Set(["SRV", "URI"]);
/** Fields that white space may split: RFC 4034 §2.2, RFC 6698 §2.2. */
const SPLIT = new Set<Field>([hex, base64]);

/** Service bindings: priority, target, and parameters, which are passed unchanged (RFC 9460 §2.1). */
function bindingIn(content: string, fields: readonly Token[]): RecordData | null {
  const [first, second, third] = fields;
  const [priority, target] = [short(first?.value ?? ""), host(second?.value ?? "")];
  if (priority === undefined || target === undefined) return null;
  return { priority, target, value: third ? content.slice(third.at).trim() : "" };
}

const NUMBERS = new Set<Field>([byte, short]);
/** Types with a priority outside the data. */
const APART: Readonly<Record<string, string>> = { URI: "priority" };
const BINDING = { priority: "number", target: "string", value: "string" };
const DEGREES = ["degrees", "minutes", "seconds"] as const;

/** The data fields of each type, with their value types. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    Object.entries(READERS).map(([type, reader]) => [
      type,
      Object.fromEntries(
        reader.flatMap(([name, field]) => (APART[type] === name ? [] : [[name, NUMBERS.has(field) ? "number" : "string"]])),
      ),
    ]),
  ),
  HTTPS: BINDING,
  SVCB: BINDING,
  LOC: {
    ...Object.fromEntries(["lat", "long"].flatMap((side) => DEGREES.map((part) => [`${side}_${part}`, "number"]))),
    ...{ lat_direction: "string", long_direction: "string", altitude: "number", size: "number" },
    ...{ precision_horz: "number", precision_vert: "number" },
  },
};

/** The types that the provider accepts as data instead of content (assets §7). */
export const DATA_TYPES: ReadonlySet<string> = new Set(Object.keys(SHAPES));

/** Whether data has only fields of its type, each a number or a text as the provider requires. */
export function isDataOf(type: string, data: Readonly<Record<string, unknown>>): boolean {
  const shape = SHAPES[type] ?? {};
  return Object.entries(data).every(([name, value]) => Object.hasOwn(shape, name) && typeof value === shape[name]);
}

/** Whether content omits the priority of its type, as the provider lists SRV and URI, and is valid with one. */
export const omitsPriority = (type: string, content: string): boolean =>
  LEADING_PRIORITY.has(type) && dataIn(type, content, null) === null && dataIn(type, content, 0) !== null;

/**
 * Parses zone-file content into the data of a record. SRV and URI content may omit the priority, as the provider lists it.
 * @param type one of `DATA_TYPES`
 * @param priority from the body; used if the content has none
 * @returns null for invalid content
 */
export function dataIn(type: string, content: string, priority: number | null): RecordData | null {
  if (type === "HTTPS" || type === "SVCB") {
    // Quotes occur within a parameter: `alpn="h2,h3"`.
    const bare = content.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => "x".repeat(quoted.length));
    const fields = isClosed(content) ? tokensOf(bare) : null;
    return fields && bindingIn(content, fields);
  }
  const fields = tokensOf(content);
  if (!fields) return null;
  if (type === "LOC") return locationIn(fields.map(({ value }) => value));
  const reader = READERS[type];
  if (!reader) return null;
  const values = fields.map(({ value }) => value);
  if (LEADING_PRIORITY.has(type) && values.length === reader.length - 1 && priority !== null) values.unshift(String(priority));
  const [, lastField] = reader.at(-1) as Reader[number];
  if (SPLIT.has(lastField) && values.length > reader.length) values.push(values.splice(reader.length - 1).join(""));
  if (values.length !== reader.length) return null;
  const read = reader.map(([name, field], at) => [name, field(values[at] as string)] as const);
  return read.some(([, value]) => value === undefined) ? null : (Object.fromEntries(read) as RecordData);
}
