import { expect } from "chai";
import type { Action } from "../../../core/declare/action.ts";
import {
  findPermission,
  grantsThatMeet,
  holds,
  isStoredForm,
  narrowed,
  permissions,
  systemRoles,
  undeclarable,
} from "../../../core/declare/permissions.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { operatorGrants, WITHHELD_FROM_OPERATORS } from "../../../core/request/operator.ts";
import { SYSTEM } from "../../../core/request/system.ts";
import { permissionGate } from "../../../mixins/permission.ts";

const SCOPED = "time.entry.read";
const BARE = "companies.company.read";

describe("the evaluation of permissions (conventions §4.1)", () => {
  const table: [string, Record<string, boolean>][] = [
    [`${SCOPED}:own`, { [SCOPED]: true, [`${SCOPED}:own`]: true, [`${SCOPED}:any`]: false, [BARE]: false }],
    [`${SCOPED}:any`, { [SCOPED]: true, [`${SCOPED}:own`]: true, [`${SCOPED}:any`]: true, [BARE]: false }],
    [BARE, { [BARE]: true, [`${BARE}:own`]: true, [`${BARE}:any`]: true, [SCOPED]: false }],
    ["*", { [BARE]: true, [SCOPED]: true, [`${SCOPED}:own`]: true, [`${SCOPED}:any`]: true }],
    ["companies.company", { [BARE]: false }],
    ["time.entry.write:any", { [SCOPED]: false, [`${SCOPED}:any`]: false }],
  ];
  for (const [grant, checks] of table)
    for (const [check, wanted] of Object.entries(checks))
      it(`${grant} ${wanted ? "answers" : "does not answer"} ${check}`, () => {
        expect(holds([grant], check)).to.equal(wanted);
      });

  it("answers nothing for who holds nothing", () => {
    for (const { key } of permissions()) expect(holds([], key)).to.equal(false);
  });

  it("lets the wildcard answer every permission of the catalogue", () => {
    for (const { key } of permissions()) expect(holds(["*"], key), key).to.equal(true);
  });

  it("gives the grants that meet a check widest first", () => {
    expect(grantsThatMeet(SCOPED).slice(0, 3)).to.deep.equal(["*", `${SCOPED}:any`, `${SCOPED}:own`]);
    expect(grantsThatMeet(`${SCOPED}:own`)).to.deep.equal(["*", `${SCOPED}:any`, `${SCOPED}:own`]);
    expect(grantsThatMeet(`${SCOPED}:any`)).to.deep.equal(["*", `${SCOPED}:any`]);
    expect(grantsThatMeet(BARE)).to.deep.equal(["*", BARE]);
  });
});

describe("the stored form of a grant", () => {
  for (const [grant, wanted] of [
    [BARE, true],
    [`${SCOPED}:own`, true],
    [`${SCOPED}:any`, true],
    [SCOPED, false],
    [`${BARE}:any`, false],
    [`${BARE}:own`, false],
    [`${SCOPED}:all`, false],
    ["*", false],
    ["", false],
    ["nonsense.thing.read", false],
  ] as const)
    it(`'${grant}' is ${wanted ? "one" : "none"}`, () => {
      expect(isStoredForm(grant)).to.equal(wanted);
    });

  it("is that of every default grant; the owner alone holds the wildcard", () => {
    for (const { key, grants } of systemRoles())
      for (const grant of grants)
        expect(grant === "*" ? key === "owner" : isStoredForm(grant), `${key}: ${grant}`).to.equal(true);
    expect(systemRoles().map(({ key }) => key)).to.deep.equal(["owner", "admin", "member", "client"]);
    expect(systemRoles()[0]?.grants).to.deep.equal(["*"]);
  });

  it("of an administrator is every permission, at its broadest", () => {
    const admin = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
    for (const { key, scopes } of permissions()) expect(admin, key).to.include(scopes.length > 0 ? `${key}:any` : key);
  });

  it("is scoped for exactly the permissions the conventions name", () => {
    expect(
      permissions()
        .flatMap(({ key, scopes }) => (scopes.length > 0 ? [key] : []))
        .toSorted(),
    ).to.deep.equal(
      [
        "hr.dossier.read",
        "interactions.interaction.write",
        "interactions.interaction.delete",
        "invoicing.invoice.read",
        "invoicing.payment.link",
        "leave.request.read",
        "leave.request.write",
        "leave.entitlement.read",
        "leave.rate.read",
        "leave.availability.read",
        "leave.availability.write",
        "reporting.report.read",
        "tasks.task.write",
        "tasks.schedule.read",
        "tasks.schedule.write",
        "tasks.comment.write",
        "time.entry.read",
        "time.entry.write",
        "uptime.monitor.read",
      ].toSorted(),
    );
  });
});

describe("the licensed modules of the catalogue", () => {
  const UNLICENSED = ["companies", "contacts", "tasks", "notifications", "members", "settings", "apikeys", "files", "impex"];
  for (const area of UNLICENSED)
    it(`${area} needs no licence`, () => {
      for (const { key, sku } of permissions().filter(({ key }) => key.startsWith(`${area}.`))) expect(sku, key).to.equal(null);
    });
  const LICENSED =
    "ads_platform automation domains edge hosting hr interactions invoicing leave marketing portal projects registrar reporting subscriptions time uptime websites workspace ai";
  for (const area of LICENSED.split(" "))
    it(`${area} needs its own`, () => {
      const found = permissions().filter(({ key }) => key.startsWith(`${area}.`));
      expect(found).not.to.have.length(0);
      for (const { key, sku } of found) expect(sku, key).to.equal(area);
    });
});

describe("a personal key's permissions", () => {
  for (const [name, scopes, owner, wanted] of [
    ["its scopes, if the owner is the wildcard holder", [BARE, `${SCOPED}:any`], ["*"], [BARE, `${SCOPED}:any`]],
    ["never the wildcard", ["*", BARE], ["*"], [BARE]],
    ["nothing the owner has lost", [BARE, "impex.export"], ["impex.export"], ["impex.export"]],
    ["`:own` for an owner with `:any`, and no more", [`${SCOPED}:own`], [`${SCOPED}:any`], [`${SCOPED}:own`]],
    ["nothing of `:any` for an owner with `:own`", [`${SCOPED}:any`], [`${SCOPED}:own`], []],
    ["nothing for an owner with nothing", [BARE], [], []],
    ["nothing without scopes", [], ["*"], []],
  ] as [string, string[], string[], string[]][])
    it(`is ${name}`, () => {
      expect(narrowed(scopes, owner)).to.deep.equal(wanted);
    });
});

describe("the gate of an action", () => {
  const principal = (grants: string[], kind: "session" | "key" = "key"): Principal => ({
    ...SYSTEM,
    kind: "user",
    credential: { kind, id: "" },
    grants,
  });
  const outcome = (declared: Partial<Action>, who: Principal | null): number => {
    try {
      permissionGate("proof", declared as Action)(who);
      return 200;
    } catch (error) {
      return (error as { code: number }).code;
    }
  };

  it("refuses at start a permission missing in the catalogue", () => {
    for (const permission of ["nonsense.thing.read", "companies.company.read:any", "", "*"])
      expect(() => permissionGate("proof", { permission } as Action), permission).to.throw(
        TypeError,
        "not in the permission catalogue",
      );
    for (const permission of [BARE, "leave.request.read", "leave.request.read:any"])
      expect(undeclarable(permission)).to.equal(null);
    expect(findPermission("nonsense")).to.equal(undefined);
  });

  for (const [name, declared, who, status] of [
    ["nobody at a permission", { permission: BARE }, null, 401],
    ["nobody at an open action", { open: "why" }, null, 401],
    ["nobody where nothing is needed", { open: "why", needs: "nothing" }, null, 200],
    ["a key where a session is needed", { open: "why", needs: "session" }, principal([]), 401],
    ["a key where a permission needs a session", { permission: BARE, sessionOnly: true }, principal([BARE]), 403],
    ["a session there", { permission: BARE, sessionOnly: true }, principal([BARE], "session"), 200],
    ["a session without the permission", { permission: BARE, sessionOnly: true }, principal([], "session"), 403],
    ["a session where one is needed", { open: "why", needs: "session" }, principal([], "session"), 200],
    ["anybody at an open action", { open: "why" }, principal([]), 200],
    ["who holds it", { permission: BARE }, principal([BARE]), 200],
    ["who does not", { permission: BARE }, principal(["impex.export"]), 403],
    ["a caller with a selection", { permission: BARE }, { ...principal([BARE]), selection: [] }, 200],
    ["one where every client is meant", { permission: BARE, everyClient: true }, { ...principal([BARE]), selection: [] }, 403],
    ["who sees every client there", { permission: BARE, everyClient: true }, principal([BARE]), 200],
    ["half of what is demanded", { permission: BARE, also: ["impex.export"] }, principal([BARE]), 403],
    ["all of what is demanded", { permission: BARE, also: ["impex.export"] }, principal([BARE, "impex.export"]), 200],
  ] as [string, Partial<Action>, Principal | null, number][])
    it(`answers ${name} with ${status}`, () => {
      expect(outcome(declared, who)).to.equal(status);
    });
});

describe("the grants of an operator with service access (access §10)", () => {
  it("are the administrator's without those that outlast the visit, each a permission of the catalogue", () => {
    const administrator = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
    expect(administrator).to.include.members([...WITHHELD_FROM_OPERATORS]);
    const granted = operatorGrants([...administrator, "*"]);
    expect(granted).to.have.length(administrator.length - WITHHELD_FROM_OPERATORS.size);
    expect(granted).to.include("members.member.read").and.to.not.include("*");
  });
});
