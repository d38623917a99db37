import { create } from "xmlbuilder2";

/** What an e-invoice says that it follows: the European norm. */
export const NORM = "urn:cen.eu:en16931:2017";

/** Elements by name in the order of the schema; null and undefined are left out. */
export type Elements = { [name: string]: Elements | readonly Elements[] | string | null | undefined };

/** The text of an XML document in UTF-8; what XML cannot hold is dropped. @param root the one element, with its namespaces */
export const xmlOf = (root: Elements): string =>
  create({ version: "1.0", encoding: "UTF-8", invalidCharReplacement: "" }, root).end({ prettyPrint: true });
