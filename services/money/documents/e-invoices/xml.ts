import { later } from "../../../../core/values/later.ts";

const builder = later<typeof import("xmlbuilder2")>("xmlbuilder2");

/** The standard that an e-invoice declares: the European one. */
export const NORM = "urn:cen.eu:en16931:2017";

/** Elements by name in the schema's order; null and undefined are omitted. */
export type Elements = { [name: string]: Elements | readonly Elements[] | string | null | undefined };

/** The text of an XML document in UTF-8, without characters that XML does not allow. @param root the root element, with its namespaces */
export const xmlOf = (root: Elements): string =>
  builder().create({ version: "1.0", encoding: "UTF-8", invalidCharReplacement: "" }, root).end({ prettyPrint: true });
