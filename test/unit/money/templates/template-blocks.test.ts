import { expect } from "chai";
import fc from "fast-check";
import { BLOCKS, placedBlocks } from "../../../../services/money/rendering/template-blocks.ts";
import type { TemplateConfig } from "../../../../services/money/rendering/template-config.ts";
import { cases } from "../../../support/cases.ts";

const body = (config: TemplateConfig) =>
  placedBlocks(config)
    .filter(({ region }) => region === "body")
    .map(({ key }) => key);
const fields = (config: TemplateConfig, block: string) =>
  placedBlocks(config)
    .find(({ key }) => key === block)
    ?.fields.map(({ key }) => key);
const DEFAULT = ["intro", "lines", "transfer_qr", "totals", "reverse_charge", "notes", "payment", "footer"];

describe("a template's content", () => {
  it("is the catalogue's default where it says nothing", () => {
    expect(body({})).to.deep.equal(DEFAULT);
    expect(fields({}, "lines")).to.deep.equal(["description", "quantity", "unit_price", "tax", "amount"]);
    expect(fields({}, "meta")).to.deep.equal(["number", "issue_date", "reference", "due_date", "period"]);
    expect(fields({}, "seller")).to.deep.equal([
      "name",
      "address",
      "postal_city",
      "phone",
      "email",
      "iban",
      "vat_number",
      "coc_number",
    ]);
  });

  it("is a diff: named entries reorder among themselves and toggle, the rest keeps its place", () => {
    expect(body({ layout: [{ key: "notes" }, { key: "lines" }] })).to.deep.equal([
      "intro",
      "notes",
      "transfer_qr",
      "totals",
      "reverse_charge",
      "lines",
      "payment",
      "footer",
    ]);
    expect(
      body({
        layout: [
          { key: "intro", enabled: false },
          { key: "payment_qr", enabled: true },
        ],
      }),
    ).to.deep.equal(["payment_qr", ...DEFAULT.slice(1)]);
    expect(fields({ layout: [{ key: "lines", fields: [{ key: "amount" }, { key: "description" }] }] }, "lines")).to.deep.equal([
      "amount",
      "quantity",
      "unit_price",
      "tax",
      "description",
    ]);
  });

  it("ignores unknown keys, and uses the first of a key named twice", () => {
    const layout = [{ key: "nonsense" }, { key: "notes", enabled: false }, { key: "notes", enabled: true }];
    expect(body({ layout })).to.deep.equal(DEFAULT.filter((key) => key !== "notes"));
  });

  it("moves blocks of the body only", () => {
    const keys = placedBlocks({ layout: [{ key: "meta" }, { key: "seller" }, { key: "heading" }] }).map(({ key }) => key);
    expect(keys.slice(0, 5)).to.deep.equal(["logo", "heading", "seller", "bill_to", "meta"]);
  });

  it("keeps to the older switches for columns and logo where its layout says nothing", () => {
    const columns = { quantity: false, unit: true, unit_price: true, tax: false };
    expect(fields({ columns }, "lines")).to.deep.equal(["description", "unit", "unit_price", "amount"]);
    const layout = [{ key: "lines", fields: [{ key: "tax", enabled: true }] }];
    expect(fields({ columns, layout }, "lines")).to.include("tax");
    const keys = (config: TemplateConfig) => placedBlocks(config).map(({ key }) => key);
    expect(keys({ show_logo: false })).not.to.include("logo");
    expect(keys({ show_logo: false, layout: [{ key: "logo", enabled: true }] })).to.include("logo");
  });

  it("has a label of its own only where there is one", () => {
    const labels = { nl: "Som" };
    const layout = [
      {
        key: "seller",
        fields: [
          { key: "name", label_i18n: labels },
          { key: "iban", label_i18n: labels },
        ],
      },
    ];
    const seller = placedBlocks({ layout }).find(({ key }) => key === "seller");
    expect(seller?.fields.find(({ key }) => key === "name")?.labels).to.deep.equal({});
    expect(seller?.fields.find(({ key }) => key === "iban")?.labels).to.deep.equal(labels);
  });

  it("always has every locked block and field once, and nothing outside the catalogue", () => {
    const key = fc.constantFrom(...BLOCKS.flatMap((block) => [block.key, ...block.fields.map((field) => field.key)]), "nonsense");
    const field = fc.record({ key, enabled: fc.boolean() });
    const layout = fc.array(fc.record({ key, enabled: fc.boolean(), fields: fc.array(field) }));
    fc.assert(
      fc.property(layout, (mentions) => {
        const placed = placedBlocks({ layout: mentions });
        const keys = placed.map((one) => one.key);
        expect(new Set(keys).size).to.equal(keys.length);
        for (const block of BLOCKS) {
          const found = placed.find((one) => one.key === block.key);
          if (block.locked) expect(found, block.key).not.to.equal(undefined);
          const own = found?.fields.map((one) => one.key) ?? [];
          expect(new Set(own).size).to.equal(own.length);
          expect(block.fields.map((one) => one.key)).to.include.members(own);
          if (found) expect(own).to.include.members(block.fields.filter((one) => one.locked).map((one) => one.key));
        }
      }),
      cases(100),
    );
  });
});
