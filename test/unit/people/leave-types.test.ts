import { expect } from "chai";
import {
  balanceGroups,
  balanceTypes,
  byPosition,
  freeTimeTypes,
  groupLabel,
  representative,
  SEEDED_TYPES,
  TYPE_DEFAULTS,
} from "../../../services/people/leave-types.ts";
import { TYPES, typeOf } from "./support.ts";

describe("leave types", () => {
  it("are seeded as the behaviour text's table", () => {
    const rows = SEEDED_TYPES.map((type) =>
      [
        type.key,
        type.default_weeks ?? "–",
        type.carry_over_months ?? "–",
        type.balance_group ?? "–",
        type.tracks_balance ? "yes" : "no",
        type.requires_approval ? "yes" : "no",
        type.position,
        type.color,
        type.paid ? "paid" : "unpaid",
        type.calendar_display,
        type.accrues_schedule_gap ? "gap" : "",
        type.label_i18n.en,
        type.label_i18n.nl,
      ].join(" | "),
    );
    expect(rows).to.deep.equal([
      "vacation_statutory | 4 | 6 | vacation | yes | yes | 10 | emerald | paid | all_day |  | Statutory vacation | Wettelijke vakantie",
      "vacation_extra | 1 | 60 | vacation | yes | yes | 20 | teal | paid | all_day |  | Extra vacation | Bovenwettelijke vakantie",
      "roostervrij | – | 0 | – | yes | no | 25 | cyan | paid | timed | gap | Free time | Vrije tijd",
      "sick | – | – | – | no | no | 30 | orange | paid | all_day |  | Sick | Ziek",
      "special | – | – | – | no | yes | 40 | violet | paid | all_day |  | Special leave | Bijzonder verlof",
      "unpaid | – | – | – | no | yes | 50 | sky | unpaid | all_day |  | Unpaid leave | Onbetaald verlof",
    ]);
    expect(SEEDED_TYPES.every((type) => type.active)).to.equal(true);
  });

  it("have the defaults of a creation", () => {
    expect(TYPE_DEFAULTS).to.include({
      color: "emerald",
      paid: true,
      tracks_balance: false,
      requires_approval: true,
      position: 0,
      active: true,
      calendar_display: "all_day",
    });
  });

  it("are ordered by position, then key", () => {
    const rows = [typeOf("b", { position: 1 }), typeOf("c"), typeOf("a", { position: 1 })].sort(byPosition);
    expect(rows.map((type) => type.key)).to.deep.equal(["c", "a", "b"]);
    expect(byPosition(typeOf("a"), typeOf("a"))).to.equal(0);
  });

  it("the representative has the smallest carry-over, null being the largest, then position, then key", () => {
    const key = (...types: ReturnType<typeof typeOf>[]): string => representative(types).key;
    expect(key(typeOf("a", { carry_over_months: 60 }), typeOf("b", { carry_over_months: 6, position: 9 }))).to.equal("b");
    expect(key(typeOf("a", { carry_over_months: null }), typeOf("b", { carry_over_months: 120 }))).to.equal("b");
    expect(key(typeOf("a", { position: 2 }), typeOf("b", { position: 1 }))).to.equal("b");
    expect(key(typeOf("b", { carry_over_months: 0 }), typeOf("a", { carry_over_months: 0 }))).to.equal("a");
    expect(() => representative([])).to.throw(RangeError);
  });

  it("balance and free time take active types only, and balance tracking ones", () => {
    const off = TYPES.map((type) => ({ ...type, active: type.key !== "vacation_extra" && type.key !== "roostervrij" }));
    expect(balanceTypes([...TYPES].reverse()).map((type) => type.key)).to.deep.equal([
      "vacation_statutory",
      "vacation_extra",
      "roostervrij",
    ]);
    expect(balanceTypes(off).map((type) => type.key)).to.deep.equal(["vacation_statutory"]);
    expect(freeTimeTypes(TYPES).map((type) => type.key)).to.deep.equal(["roostervrij"]);
    expect(freeTimeTypes(off)).to.deep.equal([]);
  });

  it("group by balance_group, one without is a group of its own; groups by representative", () => {
    const types = [
      typeOf("z", { tracks_balance: true, position: 5 }),
      typeOf("late", { tracks_balance: true, position: 90, balance_group: "g", carry_over_months: 3 }),
      typeOf("early", { tracks_balance: true, position: 1, balance_group: "g", carry_over_months: null }),
      typeOf("y", { tracks_balance: true, position: 5 }),
    ];
    expect(balanceGroups(types).map((group) => group.map((type) => type.key))).to.deep.equal([["y"], ["z"], ["early", "late"]]);
    const sameName = [typeOf("x", { tracks_balance: true }), typeOf("w", { tracks_balance: true, balance_group: "x" })];
    expect(balanceGroups(sameName)).to.have.length(2);
  });

  it("the vacation group has its own label, others their representative's", () => {
    const vacation = TYPES.filter((type) => type.balance_group === "vacation");
    expect(groupLabel(vacation)).to.deep.equal({ nl: "Vakantieverlof", en: "Vacation" });
    const label_i18n = { nl: "Snipper" };
    expect(groupLabel([typeOf("a", { label_i18n, balance_group: "g" }), typeOf("b", { position: 1 })])).to.equal(label_i18n);
    expect(groupLabel([typeOf("vacation", { label_i18n })])).to.equal(label_i18n);
  });
});
