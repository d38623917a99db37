import { checkBalance } from "./balances.ts";
import { camtEntries } from "./camt-entry.ts";
import { all, at, scanTree, textAt, type XmlElement } from "./camt-tree.ts";
import { MOST_ENTRIES, type ReadEntry, type ReadStatement } from "./read-statement.ts";
import { StatementUnreadable } from "./unreadable.ts";
import { accountOf, amountOf, currencyOf, negated, writtenDay } from "./values.ts";

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(camt\.\d{3})\.001\.(\d{2})$/;
const VERSIONS = { first: 2, last: 11 };

/** Checks the message and version of the root element. @throws StatementUnreadable */
function requireStatement(root: XmlElement): void {
  const names = Object.entries(root.attributes).filter(([name]) => name === "xmlns" || name.startsWith("xmlns:"));
  const found = names.map(([, value]) => NAMESPACE.exec(value)).find((match) => match !== null);
  if (root.name !== "Document" || !found)
    throw new StatementUnreadable("unknown_format", "The XML is not a bank statement (CAMT.053).");
  const [, message = "", version = ""] = found;
  if (message !== "camt.053")
    throw new StatementUnreadable("unknown_format", `The file is a ${message}, not a statement (camt.053): export statements.`);
  if (Number(version) < VERSIONS.first || Number(version) > VERSIONS.last)
    throw new StatementUnreadable("unsupported_version", `The file is of version camt.053.001.${version}: 02 to 11 can be read.`);
}

/** The balance of a kind, with its sign; null if the statement has none. */
function balance(
  statement: XmlElement,
  ...codes: readonly string[]
): { amount: string; day: string | null; currency: string } | null {
  for (const code of codes) {
    const found = all(statement, "Bal").find((one) => textAt(one, "Tp", "CdOrPrtry", "Cd") === code);
    if (!found) continue;
    const amount = amountOf(textAt(found, "Amt") ?? "", {});
    const day = textAt(found, "Dt", "Dt") ?? textAt(found, "Dt", "DtTm");
    return {
      amount: textAt(found, "CdtDbtInd") === "DBIT" ? negated(amount) : amount,
      day: day && writtenDay(day, {}),
      currency: at(found, "Amt")?.attributes["Ccy"] ?? "",
    };
  }
  return null;
}

/** The statement of an element whose entries were read. @throws StatementUnreadable */
function statementOf(element: XmlElement, entries: ReadEntry[], pending: number): ReadStatement {
  const account = accountOf(textAt(element, "Acct", "Id", "IBAN") ?? textAt(element, "Acct", "Id", "Othr", "Id"));
  if (account === null) throw new StatementUnreadable("broken_file", "A statement names no account (Acct/Id).");
  const opening = balance(element, "OPBD", "PRCD");
  const closing = balance(element, "CLBD");
  const currency = textAt(element, "Acct", "Ccy") ?? opening?.currency ?? closing?.currency ?? entries[0]?.currency ?? "";
  const other = entries.find((entry) => entry.currency !== currency);
  if (other)
    throw new StatementUnreadable("unreadable_entry", `The entry is in ${other.currency}, its account in ${currency}.`, {
      entry: other.position,
    });
  const created = textAt(element, "CreDtTm");
  const days = entries.map(({ booked_on }) => booked_on).toSorted();
  const first = days[0] ?? opening?.day ?? closing?.day ?? (created && writtenDay(created, {}));
  const last = days.at(-1) ?? closing?.day ?? first;
  if (!first || !last) throw new StatementUnreadable("broken_file", "A statement has neither entries nor a day.");
  const statement: ReadStatement = {
    format: "camt053",
    account,
    currency: currencyOf(currency, {}),
    number: textAt(element, "ElctrncSeqNb") ?? textAt(element, "LglSeqNb") ?? textAt(element, "Id"),
    from: first,
    to: last,
    opening: opening?.amount ?? null,
    closing: closing?.amount ?? null,
    entries,
    pending,
    balances: true,
  };
  checkBalance(statement);
  return statement;
}

/**
 * The statements of a CAMT.053 file (ISO 20022 BankToCustomerStatement, versions 02 to 11), whatever the prefixes of its namespace.
 * @throws StatementUnreadable for another message or version, an entry that cannot be read, and balances that do not add up
 */
export async function readCamt(bytes: Uint8Array): Promise<ReadStatement[]> {
  const statements: ReadStatement[] = [];
  let entries: ReadEntry[] = [];
  let pending = 0;
  let position = 0;
  await scanTree(bytes, {
    opened(element, depth) {
      if (depth === 0) requireStatement(element);
      if (depth === 2 && element.name === "Stmt") [entries, pending] = [[], 0];
    },
    closed(element, depth) {
      if (depth === 3 && element.name === "Ntry") {
        position += 1;
        const status = textAt(element, "Sts", "Cd") ?? textAt(element, "Sts", "Prtry") ?? textAt(element, "Sts") ?? "BOOK";
        if (status === "BOOK") entries.push(...camtEntries(element, position));
        else if (status === "PDNG" || status === "FUTR" || status === "INFO") pending += 1;
        else
          throw new StatementUnreadable("unreadable_entry", `The entry has the unknown status '${status}'.`, { entry: position });
        if (entries.length > MOST_ENTRIES)
          throw new StatementUnreadable("too_many_entries", `The file has more than ${MOST_ENTRIES} entries.`);
        return true;
      }
      if (depth !== 2 || element.name !== "Stmt") return false;
      statements.push(statementOf(element, entries, pending));
      return true;
    },
  });
  return statements;
}
