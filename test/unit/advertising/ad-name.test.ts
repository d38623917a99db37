import { expect } from "chai";
import { adName, type NamedAd } from "../../../integrations/advertising/ad-name.ts";

describe("adName (marketing-ads §3.10)", () => {
  const headlines = [{ text: " Fresh rye " }, { text: "Baked today" }];
  const rows: [ad: NamedAd, name: string | null][] = [
    [{ id: "4", name: "Autumn", type: "RESPONSIVE_SEARCH_AD", responsiveSearchAd: { headlines } }, "Autumn"],
    [{ id: "4", name: " ", type: "RESPONSIVE_SEARCH_AD", responsiveSearchAd: { headlines } }, "Fresh rye"],
    [{ responsiveSearchAd: { headlines } }, "Fresh rye"],
    [{ id: "4", type: "IMAGE_AD" }, "IMAGE_AD 4"],
    [{ id: "4", type: "RESPONSIVE_SEARCH_AD", responsiveSearchAd: { headlines: [] } }, "RESPONSIVE_SEARCH_AD 4"],
    [{ id: "4" }, "4"],
    [{}, null],
  ];
  for (const [ad, name] of rows) it(JSON.stringify(ad), () => expect(adName(ad)).to.equal(name));
});
