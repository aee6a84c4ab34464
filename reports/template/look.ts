// Colours come from the style sheet, so that light, dark and paper are decided in one place; numbers read as in the tables.
// Shapes that go with colours, in charts, legends and downloads alike.
export const marks: Record<string, { symbol: "circle" | "rect" | "triangle" | "diamond"; size: number | [number, number] }> = {
  p0: { symbol: "circle", size: 8 }, p1: { symbol: "rect", size: 7.5 }, p2: { symbol: "triangle", size: 9.5 }, p3: { symbol: "diamond", size: 10.5 }, p4: { symbol: "rect", size: [3, 14] },
  s0: { symbol: "circle", size: 8 }, s1: { symbol: "diamond", size: 10.5 },
};

export const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const text = (size = 12) => ({ fontFamily: getComputedStyle(document.body).fontFamily, fontSize: size, color: css("muted") });

export function number(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5) {
    return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
  }
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// An axis needs no more decimals than its steps have.
export const tick = (value: number): string => (Math.abs(value) >= 1000 ? number(value) : String(Number(value.toPrecision(6))));

export function change(ratio: number): string {
  const percent = Math.abs(ratio - 1) * 100;
  const size = percent.toFixed(percent >= 9.95 ? 0 : 1);
  return Number(size) === 0 ? "±0%" : `${ratio < 1 ? "−" : "+"}${size}%`;
}

export const duration = (us: number): string => (us < 999.5 ? `${number(us)} µs` : us < 999_500 ? `${number(us / 1e3)} ms` : `${number(us / 1e6)} s`);

// Of an axis whose steps are powers of ten.
export const decade = (us: number): string => (us < 1e3 ? `${tick(us)} µs` : us < 1e6 ? `${tick(us / 1e3)} ms` : `${tick(us / 1e6)} s`);

export const escape = (value: string): string => value.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export const flagged = (flags: string[]): string => (flags.length ? `<br>⚑ ${escape(flags.join(", "))}` : "");

export const tooltip = () => ({
  backgroundColor: css("card"), borderColor: css("line"), textStyle: { ...text(12), color: css("ink") }, confine: true, transitionDuration: 0,
});

export const valueAxis = (name: string, formatter: (value: number) => string) => ({
  type: "value" as const, name, nameTextStyle: { ...text(11), align: "left" as const, padding: [0, 0, 0, -28] }, axisLabel: { ...text(11), formatter },
  splitLine: { lineStyle: { color: css("line") } },
});

export const categoryAxis = (data: string[]) => ({
  type: "category" as const, data, axisTick: { show: false }, axisLine: { lineStyle: { color: css("muted") } }, axisLabel: { ...text(12), interval: 0 },
});
