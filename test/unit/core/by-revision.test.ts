import { expect } from "chai";
import { ByRevision } from "../../../core/request/by-revision.ts";
import { type RequestStore, runRequest } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";

describe("a node's cache of an organisation by its access revision", () => {
  const [one, other] = ["one", "other"].map((id) => ({ id }) as RequestStore["organisation"]) as [
    RequestStore["organisation"],
    RequestStore["organisation"],
  ];
  /** Does work as a request of an organisation at a revision. */
  const at = <T>(organisation: RequestStore["organisation"], revision: string, work: () => T, guarded = true): T =>
    runRequest({ ...systemRequest("test", { ...organisation, revision }, "read"), guarded }, work);

  it("returns a value cached by a request of the same organisation and revision", () => {
    const known = new ByRevision<string[]>();
    at(one, "7", () => known.keep(["a"]));
    expect(at(one, "7", () => known.get())).to.deep.equal(["a"]);
    expect(at(one, "8", () => known.get())).to.equal(undefined);
    expect(at(other, "7", () => known.get())).to.equal(undefined);
    at(one, "7", () => known.keep(["b"], "task"));
    expect(at(one, "7", () => [known.get(), known.get("task"), known.get("company")])).to.deep.equal([["a"], ["b"], undefined]);
  });

  it("neither serves nor stores for a request without a proven revision", () => {
    const known = new ByRevision<string[]>();
    at(one, "7", () => known.keep(["a"]), false);
    expect(at(one, "7", () => known.get())).to.equal(undefined);
    at(one, "7", () => known.keep(["b"]));
    expect(at(one, "7", () => known.get(), false)).to.equal(undefined);
  });

  it("serves and stores for a job's transaction, by the revision that it read when it opened", () => {
    const known = new ByRevision<string[]>();
    const inJob = <T>(boundRevision: string | null, work: () => T): T =>
      runRequest({ ...systemRequest("test", { ...one, revision: "6" }, "write"), boundRevision }, work);
    inJob(null, () => known.keep(["too early"]));
    expect(at(one, "6", () => known.get())).to.equal(undefined);
    inJob("7", () => known.keep(["a"]));
    expect([at(one, "7", () => known.get()), inJob("7", () => known.get())]).to.deep.equal([["a"], ["a"]]);
    expect([inJob("8", () => known.get()), inJob(null, () => known.get())]).to.deep.equal([undefined, undefined]);
  });
});
