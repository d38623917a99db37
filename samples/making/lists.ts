import excel from "exceljs";
import { companyAt, digits, of } from "./invented.ts";
import { csv, ROWS, rowsOf } from "./text.ts";

/** The columns of a list that an agency keeps in a spreadsheet. */
const LIST = [
  "Klantnr.",
  "Bedrijfsnaam",
  "Status",
  "Straat",
  "Huisnr.",
  "Toevoeging",
  "Postcode",
  "Plaats",
  "Land",
  "Telefoon",
  "E-mail",
];
const listed = (index: number): string[] => {
  const company = companyAt(index);
  const { name, street, house, postcode, city, code, phone, email, number } = company;
  const states = ["Actief", "Prospect", "Inactief", "actief"];
  const addition = index % 6 === 0 ? "a" : "";
  return [digits(number, 6), name, of(states, index), street, String(house), addition, postcode, city, code, phone, email];
};

/** The list as CSV that tells Excel its delimiter. */
export const withSeparator = (): string => `sep=;\r\n${csv([LIST, ...rowsOf(listed)], ";")}`;
/** The list in UTF-16 with tabs, as Excel saves "Unicode text". */
export const unicode = (): Buffer => Buffer.from(`\ufeff${csv([LIST, ...rowsOf(listed)], "\t")}`, "utf16le");

/** The list as a workbook with a cover sheet, a title and a merged header of two rows. */
export async function workbook(): Promise<Buffer> {
  const book = new excel.Workbook();
  book.created = book.modified = new Date("2025-01-01T00:00:00Z");
  book
    .addWorksheet("Voorblad")
    .addRows([["Klantenbestand"], [], ["Bedrijf", "Bureau Voorbeeld"], ["Peildatum", "1 januari 2025"]]);
  const sheet = book.addWorksheet("Klanten");
  sheet.addRow(["Klantenlijst 2025"]);
  sheet.addRow([]);
  sheet.addRow(["Klant", "", "", "Adres", "", "", "", "", "", "Telefoon", "E-mail", "Klant sinds"]);
  sheet.addRow([...LIST.slice(0, 9)]);
  for (const range of ["A1:L1", "A3:C3", "D3:I3", "J3:J4", "K3:K4", "L3:L4"]) sheet.mergeCells(range);
  for (let index = 0; index < ROWS; index++) {
    const [, ...cells] = listed(index);
    const row = sheet.addRow([companyAt(index).number, ...cells, new Date(Date.UTC(2015, index % 12, 1 + (index % 28)))]);
    row.getCell(1).numFmt = "000000";
    row.getCell(5).value = companyAt(index).house;
    row.getCell(12).numFmt = "dd-mm-yyyy";
  }
  book.addWorksheet("Toelichting").addRows([["Vragen? Bel kantoor."]]);
  return Buffer.from((await book.xlsx.writeBuffer()) as ArrayBuffer);
}
