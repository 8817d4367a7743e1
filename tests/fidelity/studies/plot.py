# SPDX-License-Identifier: Apache-2.0
"""The plot of docs/fidelity.md in plain SVG: the range of all seeds, their mean, and the published points."""

LEFT, TOP, WIDTH, HEIGHT = 60, 20, 560, 300
EPOCHS = 50
LEGEND = [("#0072B2", "ours, as displayed: mean and range of {seeds} seeds"), ("#009E73", "ours, true loss: mean"),
          ("#D55E00", "published training loss"), ("#CC79A7", "published validation loss")]


def x(epoch):
    return LEFT + (epoch - 1) / (EPOCHS - 1) * WIDTH


def y(loss):
    return TOP + (0.5 - loss) / 0.4 * HEIGHT


def points(values, epochs=range(1, EPOCHS + 1)):
    return " ".join(f"{x(epoch):.1f},{y(value):.1f}" for epoch, value in zip(epochs, values))


def axes():
    for loss in (0.1, 0.2, 0.3, 0.4, 0.5):
        yield (f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(loss):.1f}" y2="{y(loss):.1f}" stroke="#ddd"/>'
               f'<text x="{LEFT - 8}" y="{y(loss) + 4:.1f}" text-anchor="end">{loss:.1f}</text>')
    for epoch in (1, 10, 20, 30, 40, 50):
        yield f'<text x="{x(epoch):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{epoch}</text>'
    yield f'<text x="{LEFT + WIDTH / 2:.0f}" y="{TOP + HEIGHT + 38}" text-anchor="middle">epoch</text>'


def bands(rows, published):
    def by_epoch(key):
        return [[row[key][str(epoch)] for row in rows] for epoch in range(1, EPOCHS + 1)]
    displayed, loss = by_epoch("loss_as_displayed"), by_epoch("loss")
    area = points([max(each) for each in displayed]) + " " + points(
        [min(each) for each in reversed(displayed)], range(EPOCHS, 0, -1))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="370" font-family="sans-serif" font-size="12">',
           "<!-- SPDX-License-Identifier: Apache-2.0 -->", '<rect width="640" height="370" fill="white"/>', *axes(),
           f'<polygon points="{area}" fill="#0072B2" fill-opacity="0.18"/>']
    for values, style in ((displayed, 'stroke="#0072B2" stroke-width="2"'),
                          (loss, 'stroke="#009E73" stroke-dasharray="5 4"')):
        means = [sum(each) / len(each) for each in values]
        out.append(f'<polyline points="{points(means)}" fill="none" {style}/>')
    out += [f'<circle cx="{x(epoch):.1f}" cy="{y(value):.1f}" r="2.2" fill="#D55E00"/>'
            for epoch, value in published["loss_as_displayed"].items()]
    out += [f'<rect x="{x(epoch) - 3:.1f}" y="{y(value) - 3:.1f}" width="6" height="6" fill="none" stroke="#CC79A7" '
            'stroke-width="1.5"/>' for epoch, value in published["val_loss"].items()]
    for i, (colour, text) in enumerate(LEGEND):
        out.append(f'<rect x="80" y="{TOP + 190 + 20 * i}" width="12" height="4" fill="{colour}"/>'
                   f'<text x="98" y="{TOP + 196 + 20 * i}">{text.format(seeds=len(rows))}</text>')
    return "\n".join([*out, "</svg>", ""])
