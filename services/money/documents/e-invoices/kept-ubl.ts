import { IN_REQUEST, leavingFiles } from "../kept-files.ts";
import type { Profile } from "./document-data.ts";
import { invoicedDocument, requireComplete } from "./document-rows.ts";
import { ublOf } from "./ubl.ts";

/**
 * An issued document as UBL, as it first left, with its number (money §4, §15).
 * @throws like `invoicedDocument` and `requireComplete`
 */
export async function keptUbl(id: string, profile: Profile): Promise<{ number: string; bytes: Buffer }> {
  const [file] = await leavingFiles(IN_REQUEST, "invoice", profile === "peppol" ? "peppol" : "ubl", {
    find: async () => [await invoicedDocument(id)],
    make: async (document) => {
      requireComplete(document, profile);
      return Buffer.from(ublOf(document, profile));
    },
  });
  if (!file) throw new Error(`document ${id} left no e-invoice`);
  return { number: file.row.number, bytes: file.bytes };
}
