import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Axis, Plot, Series } from './section.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const width = 880;
const height = 440;
/** Maximum of category names without slanting. */
const maxLevelNames = 6;

/** Colors that color-blind people can tell apart (Okabe and Ito). */
const colors = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#222222'];
/** Widths from wide to thin, and markers of different sizes, so that lines that coincide all show. */
const strokes = [
  { width: 4, type: 'solid', symbol: 'circle', size: 12 },
  { width: 3, type: [9, 7], symbol: 'rect', size: 8 },
  { width: 2, type: [2, 7], symbol: 'triangle', size: 7 },
  { width: 2, type: [14, 4, 2, 4], symbol: 'diamond', size: 13 },
  { width: 1.5, type: [5, 3], symbol: 'circle', size: 17 },
  { width: 1.5, type: 'solid', symbol: 'rect', size: 14 },
  { width: 1, type: [1, 3], symbol: 'triangle', size: 16 },
] as const;

/**
 * Draws a plot as an SVG document on white. The same plot gives the same document. @throws RangeError for a
 * number that a logarithmic axis cannot show
 */
export function svgOf(plot: Plot): string {
  for (const [axis, at] of [
    [plot.x, 0],
    [plot.y, 1],
  ] as const) {
    if (axis.logarithmic && plot.series.some(({ points }) => points.some((point) => point[at] <= 0)))
      throw new RangeError(`${plot.name}: the logarithmic axis "${axis.label}" has no place for 0 or less`);
  }
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(optionOf(plot));
    return `${withOwnNames(chart.renderToSVGString(), plot.name)}\n`;
  } finally {
    chart.dispose();
  }
}

/** Renames the names in the SVG to count from 0: ECharts counts on from earlier charts. */
function withOwnNames(svg: string, prefix: string): string {
  const names = new Map<string, string>();
  return svg.replaceAll(/\bzr\d+-[\w-]+/g, (given) => {
    const name = names.get(given) ?? `${prefix}-${names.size}`;
    names.set(given, name);
    return name;
  });
}

function optionOf({ kind, caption, x, y, series }: Plot): EChartsCoreOption {
  const legendWidth = series.length > 1 ? Math.max(...series.map(({ name }) => name.length)) * 7.5 + 68 : 0;
  const isSlanted = (x.categories?.length ?? 0) > maxLevelNames;
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: colors,
    textStyle: { fontFamily: 'sans-serif', color: '#222222' },
    title: {
      text: caption,
      left: 16,
      top: 12,
      textStyle: { fontSize: 15, fontWeight: 'bold', width: width - 32, overflow: 'break' },
    },
    legend: {
      show: legendWidth > 0,
      orient: 'vertical',
      right: 12,
      top: 64,
      itemWidth: 36,
      textStyle: { fontSize: 12 },
    },
    grid: { left: 76, right: legendWidth + 28, top: 64, bottom: isSlanted ? 104 : 64 },
    xAxis: axisOf(x, valuesOf(series, 0), { nameGap: isSlanted ? 76 : 36 }),
    yAxis: axisOf(y, valuesOf(series, 1), { nameGap: 52, nameRotate: 90 }),
    series: series.map(({ name, points }, at) =>
      kind === 'bar' ? { type: 'bar', name, data: points } : { name, data: points, ...lineAt(at) },
    ),
  };
}

function lineAt(at: number) {
  const { width, type, symbol, size } = strokes[at % strokes.length]!;
  return {
    type: 'line',
    showAllSymbol: true,
    symbol,
    symbolSize: size,
    lineStyle: { color: colors[at % colors.length], width, type, cap: 'butt' },
    // Hollow, so that a marker below shows.
    itemStyle: { color: 'transparent', borderColor: colors[at % colors.length], borderWidth: 1.5 },
  };
}

const valuesOf = (series: Series[], at: 0 | 1) =>
  series.flatMap(({ points }) => points.map((point) => point[at]));

function axisOf({ label, logarithmic, categories }: Axis, values: number[], more: object): object {
  const common = {
    name: label,
    nameLocation: 'middle',
    nameTextStyle: { fontSize: 13 },
    axisLine: { show: true, lineStyle: { color: '#555555' } },
    axisTick: { show: true },
    splitLine: { show: true, lineStyle: { color: '#e4e4e4' } },
    ...more,
  };
  if (categories) {
    const axisLabel = { interval: 0, rotate: categories.length > maxLevelNames ? 35 : 0 };
    return { ...common, type: 'category', data: categories, splitLine: { show: false }, axisLabel };
  }
  const axisLabel = { formatter: numberText, hideOverlap: true, margin: 12 };
  if (!logarithmic) return { ...common, type: 'value', axisLabel };
  const ticks = logarithmicTicks(Math.min(...values), Math.max(...values));
  return {
    ...common,
    type: 'log',
    min: ticks.at(0),
    max: ticks.at(-1),
    axisLabel: { ...axisLabel, customValues: ticks },
    axisTick: { show: true, customValues: ticks },
  };
}

/** Powers of ten around these values. Over less than two decades, also twice and five times those. */
function logarithmicTicks(min: number, max: number): number[] {
  const [first, last] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  const powers = Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
  if (powers.length > 3) return powers;
  const ticks = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const from = ticks.findLastIndex((tick) => tick <= min);
  const to = ticks.findIndex((tick) => tick > max);
  return ticks.slice(from, to + 1);
}

/** Formats a number with few digits, and millions in short. */
const numberText = (value: number) =>
  value.toLocaleString('en', {
    maximumSignificantDigits: 6,
    notation: Math.abs(value) < 1_000_000 ? 'standard' : 'compact',
  });
