import { decimal, sum } from "../../../core/values/money.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { all, at, textAt, type XmlElement } from "./camt-tree.ts";
import type { EntryKind, ReadEntry } from "./read-statement.ts";
import { type FaultAt, StatementUnreadable } from "./unreadable.ts";
import { accountOf, amountOf, currencyOf, lineOrNull, negated, oneLine, referenceOf, writtenDay } from "./values.ts";

const COSTS = new Set(["CHRG", "COMM", "FEES", "COME", "CCHG"]);
const INTEREST = new Set(["INTR", "CINT", "DINT"]);

/** What the bank says an entry is (external code list of ISO 20022, sub-families). */
function kindOf(entry: XmlElement, details: XmlElement | undefined): EntryKind {
  const code = textAt(details, "BkTxCd", "Domn", "Fmly", "SubFmlyCd") ?? textAt(entry, "BkTxCd", "Domn", "Fmly", "SubFmlyCd");
  if (code !== null && COSTS.has(code)) return "bank_costs";
  return code !== null && INTEREST.has(code) ? "interest" : "payment";
}

/** The name and account of the other side. A reversal keeps the roles of the payment it reverses. */
function counterparty(details: XmlElement | undefined, isIncoming: boolean, reversal: boolean, place: FaultAt) {
  const parties = at(details, "RltdPties");
  const roles = isIncoming !== reversal ? ["Dbtr", "Cdtr"] : ["Cdtr", "Dbtr"];
  const role = roles.find((name) => at(parties, name) || at(parties, `${name}Acct`)) ?? "Dbtr";
  const name = textAt(parties, role, "Pty", "Nm") ?? textAt(parties, role, "Nm");
  const account = at(parties, `${role}Acct`, "Id");
  return {
    counter_name: lineOrNull(name, place),
    counter_iban: accountOf(textAt(account, "IBAN") ?? textAt(account, "Othr", "Id")),
  };
}

/** The remittance information, and the creditor's reference in it. */
function remittance(entry: XmlElement, details: XmlElement | undefined, place: FaultAt) {
  const info = at(details, "RmtInf");
  const free = all(info, "Ustrd").map(({ text }) => text.trim());
  const structured = all(info, "Strd");
  const references = structured.flatMap((one) => textAt(one, "CdtrRefInf", "Ref") ?? []);
  const documents = structured.flatMap((one) => all(one, "RfrdDocInf").flatMap((document) => textAt(document, "Nb") ?? []));
  const added = structured.flatMap((one) => all(one, "AddtlRmtInf").map(({ text }) => text.trim()));
  const own = [...free, ...documents, ...added].filter((text) => text !== "");
  const fallback = textAt(details, "AddtlTxInf") ?? textAt(entry, "AddtlNtryInf") ?? "";
  return {
    text: oneLine(own.length > 0 ? own.join(" ") : fallback, place),
    reference: referenceOf(references[0] ?? textAt(details, "Refs", "EndToEndId"), place),
  };
}

/** The amount before conversion, if it was in another currency. */
function original(details: XmlElement | undefined, currency: string, place: FaultAt) {
  const amount = at(details, "AmtDtls", "InstdAmt", "Amt");
  const code = amount?.attributes["Ccy"];
  if (!amount || code === undefined || code === currency) return { original_amount: null, original_currency: null };
  return { original_amount: amountOf(amount.text, place), original_currency: currencyOf(code, place) };
}

/** The amount of one payment in a batch, in the currency of the entry; null if the file does not say. */
function ownAmount(details: XmlElement, currency: string, place: FaultAt): string | null {
  const found = at(details, "Amt") ?? at(details, "AmtDtls", "TxAmt", "Amt");
  return found && found.attributes["Ccy"] === currency ? amountOf(found.text, place) : null;
}

/**
 * The entries of an `Ntry`: one, or one for each payment of its batch if those have amounts that add up to it.
 * @throws StatementUnreadable
 */
export function camtEntries(entry: XmlElement, position: number): ReadEntry[] {
  const place = { entry: position };
  const currency = currencyOf(at(entry, "Amt")?.attributes["Ccy"] ?? "", place);
  const amount = amountOf(textAt(entry, "Amt") ?? "", place);
  const direction = textAt(entry, "CdtDbtInd");
  if (direction !== "CRDT" && direction !== "DBIT")
    throw new StatementUnreadable("unreadable_entry", "The entry does not say whether it is a credit or a debit.", place);
  const isIncoming = direction === "CRDT";
  const reversal = textAt(entry, "RvslInd") === "true";
  const day = (name: string) => textAt(entry, name, "Dt") ?? textAt(entry, name, "DtTm");
  const value_on = day("ValDt");
  const booked = day("BookgDt") ?? value_on;
  if (booked === null) throw new StatementUnreadable("unreadable_entry", "The entry has no booking date.", place);
  const bankReference = referenceOf(textAt(entry, "AcctSvcrRef"), place);

  const made = (details: XmlElement | undefined, own: string, reference: string | null): ReadEntry => ({
    booked_on: writtenDay(booked, place),
    value_on: value_on && writtenDay(value_on, place),
    amount: isIncoming ? own : negated(own),
    currency,
    ...counterparty(details, isIncoming, reversal, place),
    ...remittance(entry, details, place),
    bank_reference: reference,
    kind: kindOf(entry, details),
    reversal,
    return_reason: textAt(details, "RtrInf", "Rsn", "Cd"),
    ...original(details, currency, place),
    position,
  });

  const details = all(entry, "NtryDtls").flatMap((one) => all(one, "TxDtls"));
  if (details.length < 2) {
    const [only] = details;
    return [made(only, amount, bankReference ?? referenceOf(textAt(only, "Refs", "AcctSvcrRef"), place))];
  }
  const amounts = details.map((one) => ownAmount(one, currency, place));
  const signs = details.every((one) => (textAt(one, "CdtDbtInd") ?? direction) === direction);
  const isWhole = signs && amounts.every((own) => own !== null) && sum(amounts as string[]).equals(decimal(amount));
  if (!isWhole) return [{ ...made(undefined, amount, bankReference), text: batchText(entry, details, place) }];
  return details.map((one, index) => {
    const own = referenceOf(textAt(one, "Refs", "AcctSvcrRef"), place);
    const reference = own !== null && own !== bankReference ? own : bankReference && `${bankReference}/${index + 1}`;
    return made(one, amounts[index] as string, reference);
  });
}

/** The texts of a batch that stays one entry, as far as they fit. */
const batchText = (entry: XmlElement, details: readonly XmlElement[], place: FaultAt): string =>
  oneLine(
    shortened(
      details
        .slice(0, 20)
        .map((one) => remittance(entry, one, place).text)
        .join(" "),
      2000,
    ),
    place,
  );
