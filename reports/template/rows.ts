// Charts with a row a cell: their height follows the number of rows.
import { categoryAxis, text } from "./look";

const narrow = (width: number): boolean => width < 520;
// On paper a chart has to fit on a page, with its caption and legend.
const printing = (): boolean => document.documentElement.classList.contains("printing") || matchMedia("print").matches;
const mostOnPaper = 740;
const around = 92;  // axes above and below

export const rowsHeight = (rows: number, width: number): number => {
  const height = around + rows * (narrow(width) ? 40 : 27);
  return printing() ? Math.min(mostOnPaper, height) : height;
};

export interface Row { label: string; flags: string[] }

export const rowAxis = (rows: Row[], width: number) => ({
  ...categoryAxis(rows.map((row) => (row.flags.length ? "⚑ " : "") + row.label)), inverse: true,
  axisLabel: { ...text(Math.min(narrow(width) ? 11 : 12, ((rowsHeight(rows.length, width) - around) / rows.length) * 0.72)), interval: 0,
    ...(narrow(width) ? { width: 118, overflow: "break" as const, lineHeight: 13 } : {}) },
});
