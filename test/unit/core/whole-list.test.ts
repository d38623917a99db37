import { expect } from "chai";
import { wholeList } from "../../../core/database/lists/whole-list.ts";
import type { Model } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { answer, text, uuid } from "../../../core/schema/schema.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const MODEL = { table: "whole_lists", shown: ["id", "organisation_id", "name", "kind", "updated_at"] } as unknown as Model;
const READ = answer("WholeListRead", { id: uuid(), name: text(64), kind: text(64) }, { name: "n", kind: "k" });
const shown = projection({ model: MODEL, schema: READ });
const joined = projection({ model: MODEL, schema: READ, joins: "left join kinds k on true" });
const one = (text: { text: string }) => text.text.replace(/\s+/g, " ");

describe("a list without pages", () => {
  before(() => prepareRuntime());

  it("is one statement with its optional filters switched off by null", () => {
    const list = wholeList(MODEL, shown, { order: "t.name, t.id", by: { kind: "text" } });
    const [statement, values] = list("o", {}, null);
    expect(one(statement as never)).to.include(
      "where t.organisation_id = $1 and ($2::timestamptz is null or t.updated_at >= $2::timestamptz) and ($3::text is null or t.kind = $3::text) order by t.name, t.id) t",
    );
    expect(values).to.deep.equal(["o", null, null]);
    const [again, filtered] = list("o", { kind: "a", updated_since: "2030-01-02T03:04:05+02:00" }, null);
    expect(again).to.equal(statement);
    expect(filtered).to.deep.equal(["o", "2030-01-02T01:04:05Z", "a"]);
  });

  it("compares what every request has without a way around it, so that an index serves the list", () => {
    const list = wholeList(MODEL, shown, { order: "t.id", of: { kind: "text" }, limit: 7, where: "t.name <> ''" });
    expect(one(list("o", { kind: "a" }, null)[0] as never))
      .to.include("and t.kind = $3::text")
      .and.to.include("t.name <> '' order by t.id limit 7");
  });

  it("orders again after joins that may lose the order", () => {
    const order = (projected: typeof shown) =>
      one(wholeList(MODEL, projected, { order: "t.id" })("o", {}, null)[0] as never).split("order by t.id");
    expect(order(shown)).to.have.lengthOf(2);
    expect(order(joined)).to.have.lengthOf(3);
  });

  it("hides from a restricted selection what it hides elsewhere, and hands the sources to a projection that shows less", () => {
    const [hidden, values] = wholeList(
      MODEL,
      shown,
      { order: "t.id", by: { kind: "text" } },
      (slot) => `t.seen(${slot})`,
    )("o", {}, ["s"]);
    expect(one(hidden as never))
      .to.include("($3::uuid[] is null or t.seen($3::uuid[]))")
      .and.to.include("t.kind = $4::text");
    expect(values).to.deep.equal(["o", null, ["s"], null]);
    expect(wholeList(MODEL, shown, { order: "t.id" }, undefined, true)("o", {}, null)[1]).to.deep.equal(["o", null, null]);
  });
});
