import { expect } from "chai";
import { DeclarationRefused, type Declared } from "../../../core/declare/catalogue/entries.ts";
import { merge } from "../../../core/declare/catalogue/merge.ts";
import { event } from "../../../core/declare/events.ts";
import type { ModuleManifest } from "../../../core/declare/module.ts";

const at = (source: string, manifest: Partial<ModuleManifest> & { key: string }): Declared => ({
  manifest: { kind: "module", ...manifest },
  source,
});
const permission = { position: 10, grants: ["admin"] } as const;

const text = { subject: "Full", body: [] };
const mail = { variables: [], overridable: true, texts: { nl: text, en: text } };

const hook = async () => async () => {};
const bulk = async () => ({ plural: "boxes", seen: async () => [], remove: async () => {} });

describe("merge()", () => {
  const shelf = (more: Partial<ModuleManifest> = {}) => at("services/shelf/module.ts", { key: "shelf", ...more });
  const other = (more: Partial<ModuleManifest> = {}) => at("services/other/module.ts", { key: "other", ...more });
  const coming = (more: Partial<ModuleManifest> = {}) => at("awaited.ts", { key: "coming", ...more });

  const refused: [what: string, built: Declared[], awaited: Declared[], sentence: string][] = [
    [
      "a module twice",
      [shelf(), at("services/other/module.ts", { key: "shelf" })],
      [],
      "The module 'shelf' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "a text of an error that the module does not declare",
      [shelf({ errors: { 409: ["shelf_full"] }, errorTexts: { shelf_full: "The shelf is full.", shelf_gone: "It is gone." } })],
      [],
      "services/shelf/module.ts explains the error 'shelf_gone', which 'shelf' does not declare.",
    ],
    [
      "an error without a text",
      [
        shelf({ errors: { 409: ["shelf_gone"] }, errorTexts: { shelf_gone: "It is gone." } }),
        other({ errors: { 409: ["conflict errors.full"] } }),
      ],
      [],
      "The error '409 conflict errors.full' in services/other/module.ts has no text in 'errorTexts'.",
    ],
    [
      "a module that is built and still awaited",
      [shelf()],
      [at("awaited.ts", { key: "shelf" })],
      "The module 'shelf' is declared twice: in services/shelf/module.ts and in awaited.ts.",
    ],
    [
      "a permission twice",
      [
        shelf({ kind: "core", permissions: { "a.b.c": permission } }),
        other({ kind: "core", permissions: { "a.b.c": permission } }),
      ],
      [],
      "The permission 'a.b.c' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "a permission under another module's name",
      [shelf({ permissions: { "other.thing.read": permission } }), other()],
      [],
      "The permission 'other.thing.read' in services/shelf/module.ts does not belong to 'shelf': its first part names another module.",
    ],
    [
      "a permission of the core under the name of a module that is awaited",
      [shelf({ kind: "core", permissions: { "coming.thing.read": permission } })],
      [coming()],
      "The permission 'coming.thing.read' in services/shelf/module.ts does not belong to 'shelf': its first part names another module.",
    ],
    [
      "a permission under the name of no module",
      [shelf({ permissions: { "shelves.thing.read": permission } })],
      [],
      "The permission 'shelves.thing.read' in services/shelf/module.ts does not belong to 'shelf': its first part names no module.",
    ],
    [
      "an error twice",
      [shelf({ errors: { 409: ["full"] } }), other({ errors: { 409: ["full"] } })],
      [],
      "The error '409 full errors.full' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "an error twice, once in words",
      [shelf({ errors: { 409: ["full"] } }), other({ errors: { 409: ["full errors.full"] } })],
      [],
      "The error '409 full errors.full' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "bulk edits with another module's permission",
      [
        shelf({
          permissions: { "shelf.box.delete": permission },
          records: { box: { bulk: { update: "other.bin.write", delete: "shelf.box.delete", load: bulk } } },
        }),
        other({ permissions: { "other.bin.write": permission } }),
      ],
      [],
      "The bulk edits of 'box' in services/shelf/module.ts need 'other.bin.write', which is not a permission of 'shelf'.",
    ],
    [
      "an event twice",
      [
        shelf({ records: { box: {} }, events: { "box.moved": event("box", "A box was moved.", {}) } }),
        other({ records: { bin: {} }, events: { "box.moved": event("bin", "A bin was moved.", {}) } }),
      ],
      [],
      "The event 'box.moved' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "an event about another module's record",
      [shelf({ records: { box: {} } }), other({ events: { "box.moved": event("box", "A box was moved.", {}) } })],
      [],
      "The event 'box.moved' in services/other/module.ts is about 'box', which is not a kind of record of 'other'.",
    ],
    [
      "a hook point twice",
      [shelf({ hookPoints: ["box.full"] }), other({ hookPoints: ["box.full"] })],
      [],
      "The hook point 'box.full' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "a hook at a point that no module has",
      [shelf({ hookPoints: ["box.full"] }), other({ hooks: { "box.empty": hook } as object })],
      [],
      "'other' in services/other/module.ts hooks into 'box.empty', which no module declares.",
    ],
    [
      "a hook at a point of a module that is only awaited",
      [other({ hooks: { "box.full": hook } as object })],
      [coming({ hookPoints: ["box.full"] })],
      "'other' in services/other/module.ts hooks into 'box.full', which no module declares.",
    ],
    [
      "a hook at a point of the module itself",
      [shelf({ hookPoints: ["box.full"], hooks: { "box.full": hook } as object })],
      [],
      "'shelf' in services/shelf/module.ts hooks into 'box.full', which is its own.",
    ],
    [
      "a mail twice",
      [shelf({ mails: { full: mail } }), other({ mails: { full: mail } })],
      [],
      "The mail 'full' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "a kind of record twice",
      [shelf({ records: { box: {} } }), other({ records: { box: {} } })],
      [],
      "The kind of record 'box' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "files without an action that tells who may see them",
      [shelf({ records: { box: { files: "open" } } })],
      [],
      "'box' in services/shelf/module.ts has files, but no action decides who can see them.",
    ],
    [
      "readers by a permission of another module",
      [
        shelf({ records: { box: { readers: { permission: "other.thing.read" }, client: null } } }),
        other({ permissions: { "other.thing.read": permission } }),
      ],
      [],
      "Readers of 'box' in services/shelf/module.ts need 'other.thing.read', which is not a permission of 'shelf'.",
    ],
    [
      "readers of what may be a client's, or not",
      [
        shelf({
          permissions: { "shelf.box.read": permission },
          records: { box: { readers: { permission: "shelf.box.read" } } },
        }),
      ],
      [],
      "'box' in services/shelf/module.ts has readers but does not declare its client.",
    ],
    [
      "a trail without readers",
      [shelf({ records: { box: { trail: true } } })],
      [],
      "'box' in services/shelf/module.ts has a trail and no readers.",
    ],
    [
      "a table twice",
      [shelf({ tables: ["boxes"] }), other({ tables: ["boxes"] })],
      [],
      "The table 'boxes' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "columns of another module's table",
      [shelf({ tables: ["boxes"] }), other({ shows: { boxes: ["id"] } })],
      [],
      "'other' in services/other/module.ts shows 'boxes', which is not one of its tables.",
    ],
    [
      "a tag twice",
      [shelf({ tags: { shelf: "Shelves." } }), other({ tags: { shelf: "Others." } })],
      [],
      "The tag 'shelf' is declared twice: in services/shelf/module.ts and in services/other/module.ts.",
    ],
    [
      "a requirement that is not there",
      [shelf({ requires: ["nothing"] })],
      [],
      "'shelf' in services/shelf/module.ts requires 'nothing', which no folder declares.",
    ],
    [
      "a requirement that is only awaited",
      [shelf({ requires: ["coming"] })],
      [coming()],
      "'shelf' in services/shelf/module.ts requires 'coming', which no folder declares.",
    ],
  ];
  for (const [what, built, awaited, sentence] of refused)
    it(`refuses ${what} in one sentence`, () => {
      expect(() => merge(built, awaited)).to.throw(DeclarationRefused, new RegExp(`^${RegExp.escape(sentence)}$`));
    });

  it("gathers what modules do at a hook point, in their order, and loads each when it is first asked for", async () => {
    let loaded = 0;
    const third = async () => `third, loaded ${(loaded += 1)} time`;
    const { hooks } = merge(
      [
        shelf({ hookPoints: ["box.full", "box.empty"] }),
        other({ hooks: { "box.full": hook } as object }),
        at("services/third/module.ts", { key: "third", hooks: { "box.full": third } as object }),
      ],
      [],
    );
    expect([[...hooks.keys()], loaded]).to.deep.equal([["box.full"], 0]);
    const parts = () => Promise.all((hooks.get("box.full") ?? []).map((load) => load()));
    const known = [await hook(), "third, loaded 1 time"];
    expect([await parts(), await parts()].map((found) => found.map(String))).to.deep.equal([
      known.map(String),
      known.map(String),
    ]);
  });

  it("orders permissions of the core by position, then those of each module", () => {
    const { permissions } = merge(
      [
        shelf({ permissions: { "shelf.b.read": { position: 20, grants: [] }, "shelf.a.read": permission } }),
        at("core", { key: "late", kind: "core", permissions: { "z.z": permission, "y.y": { ...permission, position: 20 } } }),
        at("core", { key: "early", kind: "core", permissions: { "a.a": permission } }),
      ],
      [coming({ permissions: { "coming.a.read": permission } })],
    );
    expect(permissions.map(({ key }) => key)).to.deep.equal([
      "a.a",
      "z.z",
      "y.y",
      "coming.a.read",
      "shelf.a.read",
      "shelf.b.read",
    ]);
    expect(permissions.filter(({ built }) => !built).map(({ key }) => key)).to.deep.equal(["coming.a.read"]);
  });

  it("gives each role what permissions grant it, by scope, and the owner the wildcard", () => {
    const { systemRoles } = merge(
      [
        shelf({
          permissions: { "shelf.b.read": { position: 1, grants: { admin: "any", member: "own" } }, "shelf.a.read": permission },
        }),
      ],
      [],
    );
    expect(Object.fromEntries(systemRoles.map(({ key, grants }) => [key, grants]))).to.deep.equal({
      owner: ["*"],
      admin: ["shelf.a.read", "shelf.b.read:any"],
      member: ["shelf.b.read:own"],
      client: [],
    });
  });

  it("takes the licence of a module for all its permissions", () => {
    const { permissions, modules } = merge(
      [shelf({ licence: "shelf", permissions: { "shelf.a.read": permission } }), other()],
      [],
    );
    expect(permissions[0]).to.deep.include({ sku: "shelf", group: "shelf", scopes: [], module: "shelf" });
    expect(modules.map(({ module, sku }) => [module, sku])).to.deep.equal([
      ["core", null],
      ["other", null],
      ["shelf", "shelf"],
    ]);
  });

  it("explains an error with the text of its own module, and lets planned modules have errors without a text", () => {
    const { errorTexts } = merge(
      [
        shelf({ errors: { 402: ["full"] }, errorTexts: { full: "The shelf is full." } }),
        other({ errors: { 409: ["full"] }, errorTexts: { full: ["The box is full.", "Take another box."] } }),
      ],
      [coming({ errors: { 409: ["coming_soon"] } })],
    );
    expect(Object.fromEntries(errorTexts)).to.deep.equal({
      "402 full errors.full": "The shelf is full.",
      "409 full errors.full": ["The box is full.", "Take another box."],
    });
  });

  it("offers a mail with the module that must be enabled for it", () => {
    const { mails } = merge([shelf({ mails: { full: mail } }), other({ kind: "core", mails: { empty: mail } })], []);
    expect([mails["full"]?.module, mails["empty"]?.module]).to.deep.equal(["shelf", null]);
  });

  it("knows a parameter by its tag, and everywhere where one module alone declares it", () => {
    const { parameters } = merge(
      [
        shelf({
          tags: { shelves: "Shelves.", racks: "Racks." },
          parameters: { ":shelf_id": "The shelf", row: "A row of shelves" },
        }),
        other({ tags: { others: "Others." }, parameters: { row: "A row of others" } }),
      ],
      [],
    );
    expect(Object.fromEntries(parameters)).to.deep.equal({
      "shelves :shelf_id": "The shelf",
      "racks :shelf_id": "The shelf",
      "shelves row": "A row of shelves",
      "racks row": "A row of shelves",
      "others row": "A row of others",
      ":shelf_id": "The shelf",
    });
  });

  it("fills the demo organisation by position", () => {
    const demo = (position: number) => ({ position, load: async () => async () => {} });
    const { demos } = merge([shelf({ demo: demo(20) }), other({ demo: demo(10) })], []);
    expect(demos.map(({ position }) => position)).to.deep.equal([10, 20]);
  });
});
