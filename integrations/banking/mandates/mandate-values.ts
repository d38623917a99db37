import { invalid } from "../../../core/errors/errors.ts";
import { isIban, plainIban } from "../../../core/values/iban.ts";

/** The characters that every bank takes in a file of direct debits (EPC217-08), of which a reference may not have a blank. */
const REFERENCE = /^[A-Za-z0-9+?/:().,'-]{1,35}$/;
const BIC = /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/** The fields of a mandate that have a form of their own. */
export interface MandateFields {
  reference?: string | undefined;
  iban?: string | undefined;
  bic?: string | null | undefined;
  signed_on?: string | undefined;
}

/** A reference for a mandate that was sent without one: the id, in the characters of SEPA. */
export const referenceOfId = (id: string): string => `M${id.replaceAll("-", "").toUpperCase()}`;

/**
 * The fields as stored: IBAN and BIC without blanks and in capitals.
 * @param today a mandate cannot be signed later
 * @throws 422 that names every field whose form is wrong
 */
export function mandateValues<T extends MandateFields>(sent: T, today: string): T {
  const values = {
    ...sent,
    ...(sent.iban !== undefined && { iban: plainIban(sent.iban) }),
    ...(sent.bic !== undefined && { bic: sent.bic?.replace(/\s/g, "").toUpperCase() || null }),
  };
  const { reference, iban, bic, signed_on } = values;
  const refused: Record<string, string> = {};
  // A reference with slashes at an end or doubled is rejected by banks.
  if (reference !== undefined && (!REFERENCE.test(reference) || /^\/|\/$|\/\//.test(reference)))
    refused["reference"] = "errors.banking.sepa_characters";
  if (iban !== undefined && !isIban(iban)) refused["iban"] = "errors.validation";
  if (typeof bic === "string" && !BIC.test(bic)) refused["bic"] = "errors.validation";
  if (signed_on !== undefined && signed_on > today) refused["signed_on"] = "errors.validation";
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
