import { expect } from "chai";
import fc from "fast-check";
import { mentionsIn } from "../../../services/work/comments/comment-text.ts";
import {
  additionsTo,
  addsNothing,
  generatedText,
  type Suggested,
  type Unfilled,
} from "../../../services/work/fill-in/generated.ts";
import { withoutSignatures } from "../../../services/work/fill-in/signature.ts";
import { cases } from "../../support/cases.ts";

const TODAY = "2026-03-10";
const TASK: Unfilled = { title: "Menu", description: null, due_date: null, requires_interaction: false, links: [] };
const NOTHING: Suggested = {
  description: null,
  due_date: null,
  requires_interaction: false,
  checklist: { title: null, items: [] },
  links: [],
  comment: null,
};
const additions = (suggested: Partial<Suggested>, task: Partial<Unfilled> = {}, message = "") =>
  additionsTo({ ...TASK, ...task }, { ...NOTHING, ...suggested }, { message, today: TODAY });

describe("additionsTo: a fill-in's changes (work chapter §3.11)", () => {
  it("adds nothing of nothing", () => {
    expect(addsNothing(additions({}))).to.equal(true);
    expect(addsNothing(additions({ comment: " " }))).to.equal(true);
    expect(addsNothing(additions({ requires_interaction: true }, { requires_interaction: true }))).to.equal(true);
    for (const one of [
      { description: "x" },
      { due_date: TODAY },
      { requires_interaction: true },
      { checklist: { title: null, items: [{ title: "x", description: null }] } },
      { comment: "x" },
    ])
      expect(addsNothing(additions(one)), JSON.stringify(one)).to.equal(false);
    expect(addsNothing(additions({ links: [{ url: "https://a.example", title: null }] }, {}, "https://a.example"))).to.equal(
      false,
    );
  });

  it("appends to the description behind a rule, and never replaces it", () => {
    expect(additions({ description: " New. " }, { description: "Old.\n" }).description).to.equal("Old.\n\n---\n\nNew.");
    expect(additions({ description: "New." }, { description: " " }).description).to.equal("New.");
    expect(additions({ description: "" }, { description: "Old." }).description).to.equal(null);
  });

  const dates: [suggested: string | null, given: string | null][] = [
    ["2026-03-06", null],
    ["2026-03-07", "2026-03-07"],
    ["2026-03-10", "2026-03-10"],
    ["2028-03-09", "2028-03-09"],
    ["2028-03-10", null],
    ["2026-02-30", null],
    ["10 March 2026", null],
    ["2026-03-10T00:00:00Z", null],
    [null, null],
  ];
  for (const [suggested, given] of dates)
    it(`sets an empty due date between 3 days ago and 730 days ahead: ${suggested}`, () => {
      expect(additions({ due_date: suggested }).due_date).to.equal(given);
      expect(additions({ due_date: suggested }, { due_date: "2026-05-01" }).due_date, "one that is set stays").to.equal(null);
    });

  it("switches the contact moment on, and never off", () => {
    expect(additions({ requires_interaction: true }).requires_interaction).to.equal(true);
    expect(additions({ requires_interaction: false }, { requires_interaction: true }).requires_interaction).to.equal(null);
  });

  it("adds one checklist of at most 20 items, named after the task where it has no name", () => {
    const items = Array.from({ length: 25 }, (_, n) => ({ title: `Step\n ${n}`, description: null }));
    const list = additions({ checklist: { title: null, items: [{ title: " ", description: "x" }, ...items] } }).checklist;
    expect([list?.title, list?.items.length, list?.items[0]?.title]).to.deep.equal(["Menu", 20, "Step 0"]);
    expect(additions({ checklist: { title: "Empty", items: [] } }).checklist).to.equal(null);
    const long = additions({ checklist: { title: "t".repeat(300), items: [{ title: "i".repeat(600), description: null }] } });
    expect([long.checklist?.title.length, long.checklist?.items[0]?.title.length]).to.deep.equal([255, 512]);
  });

  it("adds an address that the message holds as a whole, not the beginning of a longer one", () => {
    const added = (url: string, message: string) =>
      additions({ links: [{ url, title: null }] }, {}, message).links.map((one) => one.url);
    const whole = "https://shop.example/a";
    for (const message of [
      `see ${whole}`,
      `(${whole})`,
      `${whole}.`,
      `"${whole}", and`,
      `<${whole}>`,
      `${whole}。次`,
      `${whole}/b or ${whole}`,
    ])
      expect(added(whole, message), message).to.deep.equal([whole]);
    for (const message of [`${whole}/b`, `${whole}bc`, `${whole}?q=1`, `${whole}.html`, `${whole}#x`, `${whole}%20`])
      expect(added(whole, message), message).to.deep.equal([]);
  });

  it("adds at most ten web links that are in the message and not yet on the task, each once", () => {
    const urls = Array.from({ length: 12 }, (_, n) => `https://n${n}.example/`);
    const links = urls.map((url) => ({ url, title: null }));
    const given = additions({ links: [...links.slice(0, 1), ...links] }, { links: [urls[1] as string] }, urls.join(" ")).links;
    expect(given.map(({ url }) => url)).to.deep.equal([urls[0], ...urls.slice(2, 11)]);
    const unsafe = [" ", "javascript:alert(1)", "java\nscript:alert(1)", "data:x", "file:///etc", "mailto:a@b.example", "tel:1"];
    const message = unsafe.join(" ");
    expect(additions({ links: unsafe.map((url) => ({ url, title: null })) }, {}, message).links).to.deep.equal([]);
    expect(additions({ links: [{ url: "https://made.up/?q=secret", title: null }] }, {}, "https://made.up/").links).to.deep.equal(
      [],
    );
    expect(
      additions({ links: [{ url: "www.shop.example/a", title: " A\nshop " }] }, {}, "see www.shop.example/a").links,
    ).to.deep.equal([{ url: "https://www.shop.example/a", title: "A shop" }]);
  });
});

/** The addresses of a text, which links may stay for. */
const addressesIn = (text: string): string => (text.match(/https?:[^\s)\]>]+/g) ?? []).join(" ");

describe("generatedText: no HTML, no pictures, no mentions", () => {
  const ID = "0b5c1f6e-1111-4222-8333-444455556666";
  const rows: [text: string | null, plain: string | null][] = [
    [null, null],
    [" \n ", null],
    ["**bold** [a](https://a.example)", "**bold** [a](https://a.example)"],
    ["<img src=x onerror=y>hi", "hi"],
    ["![x](https://evil.example/?q=1)", "[x](https://evil.example/?q=1)"],
    ["!!![x](https://a.example)", "[x](https://a.example)"],
    ["!!![x](u)", "x"],
    [`@[Ann](mention:${ID})`, "Ann"],
    [`@![Ann](mention:${ID})`, "@!Ann"],
    [`!@[[x](https://evil.example)](mention:${ID})`, "[x](https://evil.example)"],
    [`<@[img](mention:${ID}) src=x>done`, "done"],
  ];
  for (const [text, plain] of rows)
    it(JSON.stringify(text), () => {
      expect(generatedText(text, addressesIn(text ?? ""))).to.equal(plain);
    });

  it("leaves no markup for any input, and changes nothing the second time", () => {
    const piece = fc.constantFrom("!", "[", "]", "(", ")", "@", "#", "<", ">", "img ", "a", `(mention:${ID})`, "\\", "--", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const plain = generatedText(pieces.join(""), "") ?? "";
        expect(plain).not.to.match(/!\[/);
        // Indented text stays: it is code. Text that opens no known element stays text.
        const prose = plain.replace(/^(?: {4}|\t).*$/gm, "");
        expect(prose).not.to.match(/<\/?(?:a|img)(?=[\s/>])[^>]*>/i);
        expect(plain).not.to.match(/^\s*<\/?(?:a|img)(?=[\s/>])[^>]*>/i);
        expect(mentionsIn(plain)).to.deep.equal({ user_ids: [], contact_ids: [], task_ids: [] });
        expect(generatedText(plain, "") ?? "").to.equal(plain);
      }),
      cases(2000),
    );
  });

  it("cuts endless input", () => {
    expect(generatedText("x".repeat(50_000), "")?.length).to.equal(10_000);
  });
});

describe("generatedText: links stand in the message", () => {
  const MESSAGE =
    "Order at https://shop.example/a?b=1, see www.shop.example or mail jo@shop.example. Wiki: https://w.example/x_(y)";
  const rows: [text: string, left: string | null][] = [
    ["See https://shop.example/a?b=1.", "See https://shop.example/a?b=1."],
    ['See [the shop](https://shop.example/a?b=1 "Shop").', 'See [the shop](https://shop.example/a?b=1 "Shop").'],
    ["See [the wiki](https://w.example/x_(y)).", "See [the wiki](https://w.example/x_(y))."],
    ["<https://shop.example/a?b=1>", "<https://shop.example/a?b=1>"],
    ["www.shop.example", "www.shop.example"],
    ["Mail [Jo](mailto:jo@shop.example)", "Mail [Jo](mailto:jo@shop.example)"],
    ["See https://evil.example/x.", "See ."],
    ["See [the shop](https://evil.example).", "See the shop."],
    ["See [the shop](<https://evil.example/a b>).", "See the shop."],
    ["See [the shop](https://shop.example/a?b=1&leak=2).", "See the shop."],
    ["See [the shop](//evil.example).", "See the shop."],
    ["See [the shop](evil.example).", "See the shop."],
    ["Run [it](javascript:alert(1))", "Run it"],
    ["Mail [Jo](mailto:spy@evil.example)", "Mail Jo"],
    ["<ftp://evil.example>", null],
    ["www.evil.example", null],
    ["[a][x]\n\n[x]: https://evil.example", "[a][x]"],
    ["[a][x]\n\n[x]: https://shop.example/a?b=1", "[a][x]\n\n[x]: https://shop.example/a?b=1"],
    ["[[a](https://evil.example)](https://evil.example)", "a"],
    ["htt[a](x)ps://evil.example", null],
    ["See [a [shop] here](//evil.example/x).", "See [a [shop] here]."],
    ["See [a [shop] here](https&colon;//evil.example).", "See [a [shop] here]."],
    ["[a][x]\n\n> [x]: //evil.example", "[a][x]"],
    ["[a][x]\n\n- [x]: https&colon;//evil.example", "[a][x]"],
  ];
  for (const [text, left] of rows) it(JSON.stringify(text), () => expect(generatedText(text, MESSAGE)).to.equal(left));

  it("at most ten in a text, each as often as it is named", () => {
    const urls = Array.from({ length: 12 }, (_, n) => `https://n${n}.example/`);
    const text = [...urls, urls[0]].map((url, n) => `[${n}](${url})`).join(" ");
    const left = [...urls.slice(0, 10).map((url, n) => `[${n}](${url})`), "10", "11", `[12](${urls[0]})`].join(" ");
    expect(generatedText(text, urls.join(" "))).to.equal(left);
    expect(generatedText(urls.join(" "), urls.join(" "))?.trim().split(/\s+/)).to.deep.equal(urls.slice(0, 10));
  });

  const SIGNED = [
    ...["See https://shop.example/a", "", "Met vriendelijke groet,", "Ann", "https://sig.example"],
    ...["", "On Monday Jo wrote:", "> Look at https://quoted.example", "> -- ", "> https://quoted-sig.example"],
  ].join("\n");
  it("not those of a signature, in texts and as links of the task", () => {
    const urls = ["https://shop.example/a", "https://sig.example", "https://quoted.example", "https://quoted-sig.example"];
    const given = additions({ description: urls.join(" "), links: urls.map((url) => ({ url, title: null })) }, {}, SIGNED);
    expect(given.links.map(({ url }) => url)).to.deep.equal(["https://shop.example/a", "https://quoted.example"]);
    expect(given.description?.split(/\s+/)).to.deep.equal(["https://shop.example/a", "https://quoted.example"]);
  });

  const closings: [lines: string[], left: string[]][] = [
    [["a", "-- ", "Ann", "b"], ["a"]],
    [["a", "--", "b"], ["a"]],
    [["a", "Kind regards", "b"], ["a"]],
    [["a", "Mit freundlichen Grüßen", "b"], ["a"]],
    [
      ["Regards to Ann from Jo", "b"],
      ["Regards to Ann from Jo", "b"],
    ],
    [
      ["groeten,", "Ann", "From: Jo", "text"],
      ["From: Jo", "text"],
    ],
    [
      ["mvg", "Ann", "-----Original Message-----", "text"],
      ["-----Original Message-----", "text"],
    ],
    [
      ["--- a rule", "b"],
      ["--- a rule", "b"],
    ],
    [
      ["> a", "> -- ", "> sig", "answer below"],
      ["> a", "answer below"],
    ],
  ];
  for (const [lines, left] of closings)
    it(`takes ${JSON.stringify(lines)} without its signature`, () =>
      expect(withoutSignatures(lines.join("\n")).split("\n")).to.deep.equal(left));

  it("in descriptions, checklists and comments alike", () => {
    const description = "See [it](https://evil.example)";
    const given = additions({
      description,
      comment: description,
      checklist: { title: null, items: [{ title: description, description }] },
    });
    expect([given.description, given.comment, given.checklist?.items]).to.deep.equal([
      "See it",
      "See it",
      [{ title: "See it", description: "See it" }],
    ]);
  });
});
