// What src/report/chart_data.cpp writes into the page.
import type { Row } from "./rows";

export interface Trial { trial: number; value: number; flags: string[] }
export interface Point { cell: string; median: number; low: number; high: number; n: number; flags: string[]; trials: Trial[] }
export interface Series { label: string; hue: number; shade: number; points: (Point | null)[] }
export interface Throughput { id: string; title: string; clients: string[]; series: Series[] }

export interface NodeUse { name: string; color: number; cpus: number[] }  // host CPUs
export interface MachineUse { name: string; color: number; shares: (number | null)[] }  // 0 to 1 of the machine
export interface Cpu { id: string; rows: Row[]; nodes: NodeUse[]; machines: MachineUse[]; cores: number }  // cores: 0 when unknown

export interface Ratio { median: number; low: number; high: number; n: number; flags: string[] }
export interface GainLine { label: string; shade: number; points: (Ratio | null)[] }
export interface Gain { id: string; pages: string[]; lines: GainLine[]; published: (number | null)[] }

export interface Percentiles { id: string; rows: (Row & { us: (number | null)[]; count: number })[] }  // µs: p50, p90, p99, p99.9, longest

// Instants and lengths in tenths of a ms since the trial began; pages; CPU in thousandths of a host CPU, of each node.
export type Rate = [start: number, length: number, side: number, pages: number];
export type Use = [start: number, length: number, ...nodes: (number | null)[]];
export interface TrialSeries { trial: number; kind: string; sides: string[]; ratio: number | null; flags: string[]; notes: string[]; failed: string; rates: Rate[]; cpu: Use[] }
export interface Trials { nodes: { name: string; color: number }[]; trials: TrialSeries[]; left_out: number }

export interface Data { throughput: Throughput[]; cpu: Cpu[]; gain: Gain[]; percentiles: Percentiles[]; trials: Trials }

export function read(): Data {
  return JSON.parse(document.getElementById("data")!.textContent!) as Data;
}
