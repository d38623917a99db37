import { expect } from "chai";
import { opened } from "../../../mixins/documents/printing/browser.ts";

describe("the sandbox of the browser that prints", () => {
  /** Opens by the options that start it; returns what was tried, and what the operator reads. */
  async function tried(starts: (extra: readonly string[]) => boolean, isSandboxed: boolean) {
    const options: string[] = [];
    const sentences: string[] = [];
    const open = async (extra: readonly string[]) => {
      options.push(extra.join());
      if (!starts(extra)) throw new Error(`Target closed ${options.length}`);
      return "browser";
    };
    const result = await opened(open, (sentence) => sentences.push(sentence), isSandboxed).catch((error: Error) => error.message);
    return { options, sentences: sentences.length, result };
  }

  it("is used where it can be", async () => {
    expect(await tried(() => true, true)).to.deep.equal({ options: [""], sentences: 0, result: "browser" });
  });

  it("is left out, and the operator told, where the browser does not start with it, whatever it says", async () => {
    const withoutNamespaces = (extra: readonly string[]) => extra.includes("--no-sandbox");
    expect(await tried(withoutNamespaces, true)).to.deep.equal({
      options: ["", "--no-sandbox"],
      sentences: 1,
      result: "browser",
    });
  });

  it("is not tried for root", async () => {
    expect(await tried(() => true, false)).to.deep.equal({ options: ["--no-sandbox"], sentences: 1, result: "browser" });
  });

  it("is not blamed where the browser does not start at all: the first reason is given", async () => {
    expect(await tried(() => false, true)).to.deep.equal({
      options: ["", "--no-sandbox"],
      sentences: 0,
      result: "Target closed 1",
    });
  });
});
