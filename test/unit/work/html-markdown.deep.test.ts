import { expect } from "chai";
import { htmlToMarkdown } from "../../../services/work/interactions/messages/html-markdown.ts";
import { effortWithin } from "../../support/effort.ts";

describe("HTML of mails as markdown", () => {
  it("takes time in proportion to the mail, however it is built", async () => {
    const hostile = [
      "<blockquote>",
      "<li>",
      "<a href=https://x.nl>",
      "<table><tr><td>",
      "<td>",
      "<br>",
      "a<br>",
      "<h1>",
      "<pre>\n",
      "<div>x",
      "&lt;",
      "<a href=https://x.nl><p>x",
    ];
    const writing = () => {
      for (const part of hostile) htmlToMarkdown(part.repeat(200_000 / part.length));
    };
    expect(await effortWithin(8_000, writing)).to.be.below(8_000);
  });
});
