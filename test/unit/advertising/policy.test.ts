import { expect } from "chai";
import {
  bidRefusal,
  budgetRefusal,
  copyRefusal,
  isBlocked,
  type MatchType,
  negativeRefusal,
} from "../../../integrations/advertising/policy/guard-rails.ts";
import { type OwnPolicy, resolvePolicy } from "../../../integrations/advertising/policy/resolve.ts";
import { normalised, normalisedTerms, wordsIn } from "../../../integrations/advertising/policy/terms.ts";

const own = (values: Partial<OwnPolicy> = {}): OwnPolicy => ({
  protected_terms: [],
  banned_phrases: [],
  always_exclude: [],
  max_daily_budget: null,
  max_budget_increase_pct: null,
  max_cpc: null,
  waste_min_cost: null,
  waste_min_clicks: null,
  steering: "",
  ad_copy_rules: "",
  ...values,
});

describe("policies of advertising (marketing-ads §3.8)", () => {
  it("trims terms, collapses spaces, folds case and stores each once", () => {
    expect(normalisedTerms(["  Bakkerij   Jansen ", "bakkerij jansen", "STRASSE", "Straße", " ", "café"])).to.deep.equal([
      "bakkerij jansen",
      "strasse",
      "café",
    ]);
    expect(normalised("É"), "one letter or two").to.equal("é");
  });

  it("reads words without punctuation, and punctuation alone as itself", () => {
    expect([wordsIn("Running-shoes, (men)"), wordsIn("&&"), wordsIn(" ")]).to.deep.equal([
      ["running", "shoes", "men"],
      ["&&"],
      [],
    ]);
  });

  it("joins lists, the organisation's first, takes limits of the account first, and keeps texts apart", () => {
    const house = own({
      protected_terms: ["a", "b"],
      max_daily_budget: "100",
      max_cpc: "2",
      waste_min_clicks: 10,
      steering: "house",
      ad_copy_rules: "formal",
    });
    const account = own({
      protected_terms: ["c", "a"],
      max_daily_budget: "20",
      max_budget_increase_pct: "0.2",
      steering: "account",
    });
    for (const limit of ["max_daily_budget", "max_cpc", "waste_min_cost"] as const) {
      const { policy } = resolvePolicy(own({ [limit]: "9" }), own({ [limit]: "3" }));
      expect(policy[limit], limit).to.equal("3");
    }
    expect(resolvePolicy(own({ waste_min_clicks: 9 }), own({ waste_min_clicks: 3 })).policy.waste_min_clicks).to.equal(3);
    expect(resolvePolicy(house, account)).to.deep.equal({
      policy: {
        protected_terms: ["a", "b", "c"],
        banned_phrases: [],
        always_exclude: [],
        max_daily_budget: "20",
        max_budget_increase: "0.2",
        max_cpc: "2",
        waste_min_cost: null,
        waste_min_clicks: 10,
        agency_steering: "house",
        account_steering: "account",
        agency_ad_copy_rules: "formal",
        account_ad_copy_rules: "",
      },
      isCapped: false,
    });
    expect(resolvePolicy(null, null).policy, "built in").to.deep.include({
      max_budget_increase: "1",
      max_daily_budget: null,
      max_cpc: null,
    });
    expect(resolvePolicy(own({ max_cpc: "0" }), null).policy.max_cpc, "a limit of nothing is a limit").to.equal("0");
  });

  it("applies 500 terms of a list, and says where there are more", () => {
    const terms = (from: number, count: number) => Array.from({ length: count }, (_, n) => `term ${from + n}`);
    const full = resolvePolicy(own({ banned_phrases: terms(0, 300) }), own({ banned_phrases: terms(300, 200) }));
    expect([full.policy.banned_phrases.length, full.isCapped]).to.deep.equal([500, false]);
    const over = resolvePolicy(own({ banned_phrases: terms(0, 300) }), own({ banned_phrases: terms(300, 201) }));
    expect([over.policy.banned_phrases.at(-1), over.isCapped]).to.deep.equal(["term 499", true]);
  });

  describe("a budget", () => {
    const limits = (max_daily_budget: string | null, max_budget_increase = "1") => ({ max_daily_budget, max_budget_increase });
    const cases: [string, number | string, string | null, ReturnType<typeof limits>, unknown][] = [
      ["below nothing", -0.01, null, limits(null), { code: "ads_platform_budget_negative" }],
      ["of nothing", 0, "10", limits("5"), null],
      ["at the ceiling", 100, null, limits("100"), null],
      ["above it", "100.01", null, limits("100"), { code: "ads_platform_budget_over_ceiling", limit: 100 }],
      ["doubled, built in", 20, "10", limits(null), null],
      ["more than doubled", "20.01", "10", limits(null), { code: "ads_platform_budget_increase_too_large", limit: 20 }],
      [
        "raised by a third, rounded",
        14,
        "10",
        limits(null, "0.3333"),
        { code: "ads_platform_budget_increase_too_large", limit: 13.33 },
      ],
      [
        "raised where nothing may be",
        "10.01",
        "10",
        limits(null, "0"),
        { code: "ads_platform_budget_increase_too_large", limit: 10 },
      ],
      ["lowered where nothing may be raised", 5, "10", limits(null, "0"), null],
      ["raised from nothing", 900, "0", limits(null, "0"), null],
      ["new", 900, null, limits(null, "0"), null],
      ["above both: the ceiling first", 900, "10", limits("100"), { code: "ads_platform_budget_over_ceiling", limit: 100 }],
      [
        "lowered, and still above the ceiling",
        150,
        "200",
        limits("100"),
        { code: "ads_platform_budget_over_ceiling", limit: 100 },
      ],
      ["exact in decimals", "0.3", "0.1", limits(null, "2"), null],
      ["at the most without a ceiling", 1000, null, limits(null), null],
      ["above it", "1000.01", null, limits(null), { code: "ads_platform_budget_needs_ceiling", limit: 1000 }],
      ["raised above it", 1500, "1000", limits(null), { code: "ads_platform_budget_needs_ceiling", limit: 1000 }],
      ["lowered, and still above it", 1500, "2000", limits(null), null],
      ["above it with a ceiling", 1500, null, limits("2000"), null],
    ];
    for (const [what, amount, previous, policy, expected] of cases)
      it(`${what}: ${amount} after ${previous}`, () => expect(budgetRefusal(amount, previous, policy)).to.deep.equal(expected));

    it("needs a ceiling above a round amount of the account's currency", () => {
      const most = (currency: string | null) => budgetRefusal(10_000_000, null, limits(null), currency)?.limit;
      expect(["EUR", "JPY", "SEK", "XYZ", null].map(most)).to.deep.equal([1000, 150_000, 12_000, 1000, 1000]);
    });
  });

  it("limits bids", () => {
    expect([
      bidRefusal(-1, { max_cpc: null }),
      bidRefusal(2, { max_cpc: "2" }),
      bidRefusal("2.01", { max_cpc: "2" }),
      bidRefusal(99, { max_cpc: null }),
    ]).to.deep.equal([{ code: "ads_platform_bid_negative" }, null, { code: "ads_platform_bid_over_ceiling", limit: 2 }, null]);
  });

  describe("a negative keyword", () => {
    const cases: [negative: string, MatchType, term: string, blocks: boolean][] = [
      ["fresh bread", "EXACT", "Fresh  Bread", true],
      ["fresh bread", "EXACT", "fresh bread online", false],
      ["bread fresh", "EXACT", "fresh bread", false],
      ["bread", "EXACT", "fresh bread", false],
      ["fresh bread", "PHRASE", "buy fresh bread online", true],
      ["fresh bread", "PHRASE", "fresh white bread", false],
      ["bread fresh", "PHRASE", "fresh bread", false],
      ["fresh bread online", "PHRASE", "fresh bread", false],
      ["read", "PHRASE", "fresh bread", false],
      ["bread fresh", "BROAD", "buy fresh white bread", true],
      ["bread cake", "BROAD", "fresh bread", false],
      ["Bread", "BROAD", "fresh bread", true],
      ["running shoes", "PHRASE", "running-shoes sale", true],
      ["café", "BROAD", "cafe", true],
      ["&", "BROAD", "fresh bread", false],
      ["", "BROAD", "fresh bread", false],
    ];
    for (const [negative, type, term, blocks] of cases)
      it(`[${type}] ${negative || "nothing"} ${blocks ? "blocks" : "leaves"} '${term}'`, () =>
        expect(isBlocked(term, negative, type)).to.equal(blocks));

    it("names the protected term that it would block", () => {
      const policy = { protected_terms: ["white bread", "bakery"] };
      expect(negativeRefusal("Bakery", "PHRASE", policy)).to.deep.equal({
        code: "ads_platform_protected_term",
        blocks: "bakery",
      });
      expect(negativeRefusal("cheap", "BROAD", policy)).to.equal(null);
    });
  });

  it("finds banned phrases in the copy of an ad, ignoring case and spaces", () => {
    const policy = { banned_phrases: ["number one", "gratis"] };
    expect(copyRefusal(["We are  NUMBER   One!"], policy)).to.deep.equal({
      code: "ads_platform_banned_phrase",
      blocks: "number one",
    });
    expect(copyRefusal(["Number", "one"], policy), "in one text").to.equal(null);
  });

  const disguises: [what: string, text: string][] = [
    ["a soft hyphen", "gra\u00adtis bezorgd"],
    ["a zero-width joiner", "gra\u200dtis"],
    ["full width", "ｇｒａｔｉｓ"],
    ["Cyrillic letters", "grаtіs"],
    ["Cyrillic capitals", "GRАТІЅ"],
    ["Greek letters", "grαtιs"],
    ["combining marks", "g\u0301ratis"],
    ["accents", "grátïs"],
    ["a ligature of digits and letters", "gratiｓ"],
  ];
  for (const [what, text] of disguises)
    it(`finds a banned phrase disguised by ${what}`, () => {
      expect(copyRefusal([text], { banned_phrases: ["gratis"] })?.blocks).to.equal("gratis");
      expect(isBlocked("gratis", text.split(" ")[0] as string, "EXACT")).to.equal(true);
    });

  it("takes separators for spaces, in phrases and copy alike", () => {
    const policy = { banned_phrases: ["nummer-één keuze"] };
    for (const copy of ["Nummer één keuze", "nummer_een.keuze", "NUMMER–EEN\u00a0KEUZE"])
      expect(copyRefusal([copy], policy)?.blocks, copy).to.equal("nummer-één keuze");
    expect(copyRefusal(["nummereen keuze"], policy)).to.equal(null);
  });

  it("bans nothing by a phrase of separators alone, and finds a phrase of another script in either case", () => {
    expect(copyRefusal(["Verse broodjes"], { banned_phrases: ["---", "_._"] })).to.equal(null);
    for (const [phrase, copy] of [
      ["ζωη νεα", "ΖΩΗ ΝΕΑ"],
      ["бесплатно", "БЕСПЛАТНО"],
    ] as const)
      expect(copyRefusal([copy], { banned_phrases: [phrase] })?.blocks).to.equal(phrase);
  });
});
