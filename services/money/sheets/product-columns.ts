import type { Field } from "../../../core/impex/field.ts";

/**
 * The columns of a product spreadsheet: keys, Dutch, English and German headers, and those of other tools' price lists.
 * Headers match without case, spaces and punctuation; of several matching columns the first non-blank value counts.
 */
export const PRODUCT_COLUMNS: readonly Field[] = [
  { key: "id", kind: "id" },
  {
    key: "code",
    kind: "text",
    names: [
      ...["product code", "article number", "item number", "sku", "productcode", "artikelnummer", "artikelcode"],
      ...["artikelnr", "artikel-nr"],
    ],
  },
  {
    key: "name",
    kind: "text",
    required: true,
    names: [
      "product",
      "product name",
      "item",
      "item name",
      "productnaam",
      "naam",
      "artikel",
      "artikelnaam",
      "bezeichnung",
      "produkt",
    ],
  },
  { key: "description", kind: "text", names: ["omschrijving", "beschrijving", "toelichting", "details", "beschreibung"] },
  { key: "unit", kind: "text", names: ["eenheid", "per", "einheit"] },
  {
    key: "unit_price",
    kind: "number",
    names: [
      ...["price", "unit price", "sales price", "rate", "prijs", "stukprijs", "verkoopprijs", "tarief", "preis"],
      ...["einzelpreis", "verkaufspreis"],
    ],
  },
  {
    key: "tax_rate",
    kind: "text",
    names: [
      ...["vat", "vat rate", "vat code", "tax", "tax code", "btw", "btw-tarief", "btw-percentage", "btw-code", "mwst"],
      ...["mehrwertsteuer", "steuersatz", "ust"],
    ],
  },
  { key: "active", kind: "boolean", names: ["actief", "enabled", "aktiv"] },
  { key: "position", kind: "number", names: ["order", "volgorde", "positie", "sort order", "reihenfolge"] },
];
