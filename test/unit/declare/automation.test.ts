import { expect } from "chai";
import type { AutomationAction, AutomationDeclaration } from "../../../core/declare/automation.ts";
import { DeclarationRefused, type Declared } from "../../../core/declare/catalogue/entries.ts";
import { merge } from "../../../core/declare/catalogue/merge.ts";
import { event } from "../../../core/declare/events.ts";
import type { ModuleManifest } from "../../../core/declare/module.ts";
import { Type } from "../../../core/schema/schema.ts";

const moved = { "box.moved": event("box", "A box was moved.", { to: Type.String(), day: Type.String() }) };
const anywhere = { "box.named": event(null, "Something was named.", { to: Type.String() }) };
const seen = async () => Promise.reject(new Error("loaded at the start"));
const trigger = { position: 10, payload: ["to"] };
const act: AutomationAction = { position: 10, config: Type.Object({}), call: "box.move", permission: "shelf.write" };

const at = (key: string, automation: AutomationDeclaration, more: Partial<ModuleManifest> = {}): Declared => ({
  manifest: { key, kind: "module", automation, ...more },
  source: `services/${key}/module.ts`,
});
const permissions = { "shelf.write": { position: 10, grants: ["admin"] } } as const;
const shelf = (automation: AutomationDeclaration, more: Partial<ModuleManifest> = {}) =>
  at("shelf", automation, { records: { box: {} }, permissions, events: { ...moved, ...anywhere }, ...more });

describe("what modules declare for automation", () => {
  const refused: [what: string, built: Declared[], sentence: string][] = [
    [
      "a trigger that is another module's event",
      [shelf({}), at("other", { triggers: { "box.moved": trigger } })],
      "'other' in services/other/module.ts has the trigger 'box.moved', which is not one of its events.",
    ],
    [
      "a trigger that is about whatever record",
      [shelf({ entities: { box: seen }, triggers: { "box.named": trigger } })],
      "'shelf' in services/shelf/module.ts has the trigger 'box.named', which is not one of its events.",
    ],
    [
      "a trigger that tells what its event does not hold",
      [shelf({ entities: { box: seen }, triggers: { "box.moved": { ...trigger, payload: ["to", "from"] } } })],
      "The trigger 'box.moved' in services/shelf/module.ts exposes 'from', which is not in the event.",
    ],
    [
      "a trigger about a record that rules cannot see",
      [shelf({ triggers: { "box.moved": trigger } })],
      "The trigger 'box.moved' in services/shelf/module.ts is about 'box', which rules cannot see.",
    ],
    [
      "what rules see of another module's record",
      [shelf({}), at("other", { entities: { box: seen } })],
      "'other' in services/other/module.ts exposes 'box' to rules, which is not one of its kinds of record.",
    ],
    [
      "an action with a permission that is not declared",
      [shelf({ actions: { "box.move": { ...act, alsoNeeds: { to: "shelf.ship" } } } })],
      "The action 'box.move' in services/shelf/module.ts needs 'shelf.ship', which no module declares.",
    ],
    [
      "an action twice",
      [shelf({ actions: { "box.move": act } }), at("other", { actions: { "box.move": act } })],
      "The action of automation 'box.move' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
  ];
  for (const [what, built, sentence] of refused)
    it(`may not be ${what}`, () => {
      expect(() => merge(built, [])).to.throw(DeclarationRefused, new RegExp(`^${RegExp.escape(sentence)}$`));
    });

  it("is gathered by position, without loading it", () => {
    const { automation } = merge(
      [
        shelf({ entities: { box: seen }, triggers: { "box.moved": { ...trigger, position: 20 } }, actions: { "box.move": act } }),
        at(
          "other",
          {
            entities: { bin: seen },
            triggers: { "bin.moved": trigger },
            actions: { "bin.move": { ...act, position: 5 } },
          },
          {
            records: { bin: {} },
            events: { "bin.moved": event("bin", "A bin was moved.", { to: Type.String(), day: Type.String() }) },
          },
        ),
      ],
      [],
    );
    expect([...automation.triggers.values()]).to.deep.equal([
      { event: "bin.moved", entity_type: "bin", position: 10, payload: ["to"] },
      { event: "box.moved", entity_type: "box", position: 20, payload: ["to"] },
    ]);
    expect([...automation.actions.keys()]).to.deep.equal(["bin.move", "box.move"]);
    expect([...automation.entities.keys()]).to.deep.equal(["box", "bin"]);
  });
});
