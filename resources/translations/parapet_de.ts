<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Baseline</name>
    <message>
        <source>mean label</source>
        <translation>mittleres Label</translation>
    </message>
    <message>
        <source>mean of the item</source>
        <translation>Mittel des Artikels</translation>
    </message>
    <message>
        <source>mean of the user</source>
        <translation>Mittel des Nutzers</translation>
    </message>
    <message>
        <source>biases</source>
        <translation>Biases</translation>
    </message>
    <message>
        <source>most frequent token</source>
        <translation>häufigstes Token</translation>
    </message>
    <message>
        <source>left neighbour</source>
        <translation>linker Nachbar</translation>
    </message>
    <message>
        <source>most popular</source>
        <translation>Beliebteste</translation>
    </message>
    <message>
        <source>popular in the context</source>
        <translation>im Kontext Beliebte</translation>
    </message>
    <message>
        <source>own items</source>
        <translation>eigene Artikel</translation>
    </message>
    <message>
        <source>Markov chain</source>
        <translation>Markow-Kette</translation>
    </message>
    <message>
        <source>item-kNN</source>
        <translation>item-kNN</translation>
    </message>
    <message>
        <source>EASE</source>
        <translation>EASE</translation>
    </message>
    <message>
        <source>truncated SVD</source>
        <translation>gekürzte SVD</translation>
    </message>
    <message>
        <source>random order</source>
        <translation>zufällige Reihenfolge</translation>
    </message>
    <message>
        <source>equal scores</source>
        <translation>gleiche Scores</translation>
    </message>
</context>
<context>
    <name>Document</name>
    <message>
        <source>Accidental hits</source>
        <translation>Zufällige Treffer</translation>
    </message>
    <message>
        <source>Accumulate steps</source>
        <translation>Schritte sammeln</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>Adagrad</source>
        <translation>Adagrad</translation>
    </message>
    <message>
        <source>Adam</source>
        <translation>Adam</translation>
    </message>
    <message>
        <source>Adamw</source>
        <translation>Adamw</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Addieren</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>All positions</source>
        <translation>Alle Positionen</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Achsen</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Batch norm</source>
        <translation>Stapelnormierung</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Bce</source>
        <translation>Bce</translation>
    </message>
    <message>
        <source>Bernoulli</source>
        <translation>Bernoulli</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Bester</translation>
    </message>
    <message>
        <source>Beta</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Beta1</source>
        <translation>Beta1</translation>
    </message>
    <message>
        <source>Beta2</source>
        <translation>Beta2</translation>
    </message>
    <message>
        <source>Bf16</source>
        <translation>Bf16</translation>
    </message>
    <message>
        <source>Boundaries</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>Bounds</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>Bpr</source>
        <translation>Bpr</translation>
    </message>
    <message>
        <source>Buckets</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Cache rows</source>
        <translation>Cache-Zeilen</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>Capacity bytes</source>
        <translation>Kapazität in Bytes</translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation>Katalog</translation>
    </message>
    <message>
        <source>Catalogues</source>
        <translation>Kataloge</translation>
    </message>
    <message>
        <source>Causal</source>
        <translation>Kausal</translation>
    </message>
    <message>
        <source>Ccl</source>
        <translation>Ccl</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Clicks</source>
        <translation>Klicks</translation>
    </message>
    <message>
        <source>Clip norm</source>
        <translation>Norm kappen</translation>
    </message>
    <message>
        <source>Clip value</source>
        <translation>Wert kappen</translation>
    </message>
    <message>
        <source>Cold</source>
        <translation>Kalt</translation>
    </message>
    <message>
        <source>Cold items</source>
        <translation>Unbekannte Artikel</translation>
    </message>
    <message>
        <source>Cold users</source>
        <translation>Unbekannte Nutzer</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Combiner</source>
        <translation>Combiner</translation>
    </message>
    <message>
        <source>Compressed</source>
        <translation>Komprimiert</translation>
    </message>
    <message>
        <source>Concat</source>
        <translation>Verketten</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstant</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Context strength</source>
        <translation>Stärke des Kontexts</translation>
    </message>
    <message>
        <source>Corrected</source>
        <translation>Korrigiert</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Cosine restarts</source>
        <translation>Kosinus mit Neustarts</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Count from</source>
        <translation>Gezählt aus</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Abdeckung</translation>
    </message>
    <message>
        <source>Csv</source>
        <translation>Csv</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>Zyklus</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Dataset</source>
        <translation>Datensatz</translation>
    </message>
    <message>
        <source>Day first</source>
        <translation>Tag zuerst</translation>
    </message>
    <message>
        <source>Decay steps</source>
        <translation>Abklingschritte</translation>
    </message>
    <message>
        <source>Decimal</source>
        <translation>Dezimalzeichen</translation>
    </message>
    <message>
        <source>Delimiter</source>
        <translation>Trennzeichen</translation>
    </message>
    <message>
        <source>Dense</source>
        <translation>Dicht</translation>
    </message>
    <message>
        <source>Derived</source>
        <translation>Abgeleitet</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Diag scale</source>
        <translation>Diagonalgewicht</translation>
    </message>
    <message>
        <source>Direct</source>
        <translation>Direkt</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Dot</source>
        <translation>Dot</translation>
    </message>
    <message>
        <source>Dot interaction</source>
        <translation>Skalarprodukte</translation>
    </message>
    <message>
        <source>Drop</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Drop remainder</source>
        <translation>Rest verwerfen</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Each row</source>
        <translation>Jede Zeile</translation>
    </message>
    <message>
        <source>Early stopping</source>
        <translation>Vorzeitiges Stoppen</translation>
    </message>
    <message>
        <source>Embedding dim</source>
        <translation>Embedding-Breite</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>Kodierung</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Epsilon inside root</source>
        <translation>Epsilon unter der Wurzel</translation>
    </message>
    <message>
        <source>Epsilon mode</source>
        <translation>Lage von Epsilon</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Exclude seen</source>
        <translation>Gesehene ausschließen</translation>
    </message>
    <message>
        <source>Exponential</source>
        <translation>Exponentiell</translation>
    </message>
    <message>
        <source>Extra negatives</source>
        <translation>Zusätzliche Negative</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>Fan avg</source>
        <translation>Fan-Mittel</translation>
    </message>
    <message>
        <source>Fan in</source>
        <translation>Fan-in</translation>
    </message>
    <message>
        <source>Fan out</source>
        <translation>Fan-out</translation>
    </message>
    <message>
        <source>Feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Feature cross</source>
        <translation>Merkmalskreuzung</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Fork</source>
        <translation>Abzweig</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Fp32</source>
        <translation>Fp32</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Ftrl</source>
        <translation>Ftrl</translation>
    </message>
    <message>
        <source>Gap seconds</source>
        <translation>Sekunden der Lücke</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>Tor</translation>
    </message>
    <message>
        <source>Gate input</source>
        <translation>Eingabe des Tors</translation>
    </message>
    <message>
        <source>Gated residual</source>
        <translation>Residuum mit Tor</translation>
    </message>
    <message>
        <source>Gelu</source>
        <translation>Gelu</translation>
    </message>
    <message>
        <source>Gelu tanh</source>
        <translation>Gelu tanh</translation>
    </message>
    <message>
        <source>Generated</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>Generator</source>
        <translation>Generator</translation>
    </message>
    <message>
        <source>Gini</source>
        <translation>Gini</translation>
    </message>
    <message>
        <source>Global</source>
        <translation>Global</translation>
    </message>
    <message>
        <source>Global clip norm</source>
        <translation>Globale Norm kappen</translation>
    </message>
    <message>
        <source>Glorot uniform</source>
        <translation>Glorot uniform</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>Gruppengröße</translation>
    </message>
    <message>
        <source>Hard negatives</source>
        <translation>Schwere Negative</translation>
    </message>
    <message>
        <source>Hash</source>
        <translation>Hash</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>Kopfzeile</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>Hit</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Hour</source>
        <translation>Stunde</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>Ids</source>
        <translation>Ids</translation>
    </message>
    <message>
        <source>In batch softmax</source>
        <translation>Softmax im Stapel</translation>
    </message>
    <message>
        <source>Initial</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Initial accumulator</source>
        <translation>Anfang des Akkumulators</translation>
    </message>
    <message>
        <source>Initializer</source>
        <translation>Initialisierung</translation>
    </message>
    <message>
        <source>Input shape</source>
        <translation>Form der Eingabe</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>Inverse time</source>
        <translation>Inverse Zeit</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Json</source>
        <translation>Json</translation>
    </message>
    <message>
        <source>K</source>
        <translation>K</translation>
    </message>
    <message>
        <source>K core</source>
        <translation>k-Kern</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>L2 normalize</source>
        <translation>L2-Normierung</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzte</translation>
    </message>
    <message>
        <source>Layer norm</source>
        <translation>Schichtnormierung</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Lazy</source>
        <translation>Träge</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Learning rate power</source>
        <translation>Exponent der Lernrate</translation>
    </message>
    <message>
        <source>Leave last</source>
        <translation>Letzte zurückhalten</translation>
    </message>
    <message>
        <source>Leave random</source>
        <translation>Zufällige zurückhalten</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>List mle</source>
        <translation>List mle</translation>
    </message>
    <message>
        <source>Log1p</source>
        <translation>Log1p</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Lowercase</source>
        <translation>Kleinschreibung</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>Maske</translation>
    </message>
    <message>
        <source>Masked layers</source>
        <translation>Maskierte Schichten</translation>
    </message>
    <message>
        <source>Masked lm</source>
        <translation>Masked lm</translation>
    </message>
    <message>
        <source>Masking</source>
        <translation>Maskierung</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Max length</source>
        <translation>Max. Länge</translation>
    </message>
    <message>
        <source>Max rejected share</source>
        <translation>Max. abgewiesener Anteil</translation>
    </message>
    <message>
        <source>Max selections</source>
        <translation>Max. Auswahl</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Mesh</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Microseconds</source>
        <translation>Mikrosekunden</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>Millisekunden</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>Min bytes</source>
        <translation>Min. Bytes</translation>
    </message>
    <message>
        <source>Min count</source>
        <translation>Min. Anzahl</translation>
    </message>
    <message>
        <source>Min delta</source>
        <translation>Min. Änderung</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>Fehlend</translation>
    </message>
    <message>
        <source>Mixed</source>
        <translation>Gemischt</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>Month</source>
        <translation>Monat</translation>
    </message>
    <message>
        <source>Month first</source>
        <translation>Monat zuerst</translation>
    </message>
    <message>
        <source>Movielens</source>
        <translation>Movielens</translation>
    </message>
    <message>
        <source>Movies</source>
        <translation>Filme</translation>
    </message>
    <message>
        <source>Mrr</source>
        <translation>Mrr</translation>
    </message>
    <message>
        <source>Mse</source>
        <translation>Mse</translation>
    </message>
    <message>
        <source>Multiply</source>
        <translation>Multiplizieren</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>Namen</translation>
    </message>
    <message>
        <source>Nanoseconds</source>
        <translation>Nanosekunden</translation>
    </message>
    <message>
        <source>Ndcg</source>
        <translation>Ndcg</translation>
    </message>
    <message>
        <source>Negative weight</source>
        <translation>Gewicht der Negativen</translation>
    </message>
    <message>
        <source>Negatives</source>
        <translation>Negative</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>Novelty</source>
        <translation>Neuheit</translation>
    </message>
    <message>
        <source>Null values</source>
        <translation>Leerwerte</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>Oov</source>
        <translation>Oov</translation>
    </message>
    <message>
        <source>Oov buckets</source>
        <translation>OOV-Klassen</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Order strength</source>
        <translation>Stärke der Reihenfolge</translation>
    </message>
    <message>
        <source>Output shape</source>
        <translation>Form der Ausgabe</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappen</translation>
    </message>
    <message>
        <source>Pairwise hinge</source>
        <translation>Paarweise, Hinge</translation>
    </message>
    <message>
        <source>Pairwise logistic</source>
        <translation>Paarweise, logistisch</translation>
    </message>
    <message>
        <source>Pairwise mse</source>
        <translation>Pairwise mse</translation>
    </message>
    <message>
        <source>Pairwise soft zero one</source>
        <translation>Pairwise soft zero one</translation>
    </message>
    <message>
        <source>Parapet</source>
        <translation>Parapet</translation>
    </message>
    <message>
        <source>Parquet</source>
        <translation>Parquet</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Geduld</translation>
    </message>
    <message>
        <source>Per device</source>
        <translation>Je Gerät</translation>
    </message>
    <message>
        <source>Piecewise</source>
        <translation>Stückweise</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Polynomial</source>
        <translation>Polynomial</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Zusammenfassen</translation>
    </message>
    <message>
        <source>Popularity</source>
        <translation>Popularität</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Post</source>
        <translation>Hinten</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Exponent</translation>
    </message>
    <message>
        <source>Pre</source>
        <translation>Vorn</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Projection dim</source>
        <translation>Projektionsbreite</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Quantile</source>
        <translation>Quantil</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Quote</source>
        <translation>Anführungszeichen</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>Rangordnung</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Abweisen</translation>
    </message>
    <message>
        <source>Relevance threshold</source>
        <translation>Relevanzschwelle</translation>
    </message>
    <message>
        <source>Relu</source>
        <translation>Relu</translation>
    </message>
    <message>
        <source>Replay batches</source>
        <translation>Wiederholte Stapel</translation>
    </message>
    <message>
        <source>Replicated</source>
        <translation>Replicated</translation>
    </message>
    <message>
        <source>Restart decay</source>
        <translation>Abklingen bei Neustart</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>Retrieval</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Row block</source>
        <translation>Row block</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Rowwise adagrad</source>
        <translation>Zeilenweises Adagrad</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Stichprobe</translation>
    </message>
    <message>
        <source>Sampled bce</source>
        <translation>Sampled bce</translation>
    </message>
    <message>
        <source>Sampled softmax</source>
        <translation>Softmax mit Stichprobe</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Skala</translation>
    </message>
    <message>
        <source>Scale with devices</source>
        <translation>Mit Geräten skalieren</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Lernratenplan</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seen pairs</source>
        <translation>Gesehene Paare</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Self interaction</source>
        <translation>Mit sich selbst</translation>
    </message>
    <message>
        <source>Separate</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>Separator</source>
        <translation>Trenner</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>Sequenz</translation>
    </message>
    <message>
        <source>Sgd</source>
        <translation>Sgd</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>Gemeinsam</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>Mischen</translation>
    </message>
    <message>
        <source>Sigmoid</source>
        <translation>Sigmoid</translation>
    </message>
    <message>
        <source>Silu</source>
        <translation>Silu</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Ausschnitt</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Spaces</source>
        <translation>Speicherräume</translation>
    </message>
    <message>
        <source>Sparse update</source>
        <translation>Dünne Aktualisierung</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>Sqrtn</source>
        <translation>Sqrtn</translation>
    </message>
    <message>
        <source>Stack tables</source>
        <translation>Tabellen stapeln</translation>
    </message>
    <message>
        <source>Staircase</source>
        <translation>Treppe</translation>
    </message>
    <message>
        <source>Standard</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Standardize</source>
        <translation>Standardisieren</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Stddev</source>
        <translation>Standardabweichung</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Tanh</source>
        <translation>Tanh</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Temporal</source>
        <translation>Zeitlich</translation>
    </message>
    <message>
        <source>Tensorboard</source>
        <translation>Tensorboard</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>Test seconds</source>
        <translation>Sekunden des Tests</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Tf32</source>
        <translation>Tf32</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Tageszeit</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Tower</source>
        <translation>Turm</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>Trainierbar</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>Transformation</translation>
    </message>
    <message>
        <source>Transformer block</source>
        <translation>Transformer-Block</translation>
    </message>
    <message>
        <source>Truncated normal</source>
        <translation>Gestutzte Normalverteilung</translation>
    </message>
    <message>
        <source>Truncation side</source>
        <translation>Gekürzte Seite</translation>
    </message>
    <message>
        <source>Uncorrected</source>
        <translation>Unkorrigiert</translation>
    </message>
    <message>
        <source>Uniform</source>
        <translation>Gleichverteilt</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>Use bias</source>
        <translation>Mit Bias</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>Utc offset minutes</source>
        <translation>UTC-Abstand in Minuten</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>Validieren alle</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Validation rows</source>
        <translation>Validierungszeilen</translation>
    </message>
    <message>
        <source>Validation seconds</source>
        <translation>Sekunden der Validierung</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Variance scaling</source>
        <translation>Varianzskalierung</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>Vektoren</translation>
    </message>
    <message>
        <source>Vocabularies</source>
        <translation>Vokabulare</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Vocabulary softmax</source>
        <translation>Softmax über das Vokabular</translation>
    </message>
    <message>
        <source>Warm start</source>
        <translation>Warmstart</translation>
    </message>
    <message>
        <source>Warmup from</source>
        <translation>Aufwärmen ab</translation>
    </message>
    <message>
        <source>Warmup steps</source>
        <translation>Aufwärmschritte</translation>
    </message>
    <message>
        <source>Weekday</source>
        <translation>Wochentag</translation>
    </message>
    <message>
        <source>Weekend</source>
        <translation>Wochenende</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Gewichtsabnahme</translation>
    </message>
    <message>
        <source>Weight decay exclude</source>
        <translation>Ohne Gewichtsabnahme</translation>
    </message>
    <message>
        <source>Weighted</source>
        <translation>Gewichtet</translation>
    </message>
    <message>
        <source>Weighted mean</source>
        <translation>Gewichteter Mittelwert</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Within seconds</source>
        <translation>Innerhalb von Sekunden</translation>
    </message>
    <message>
        <source>X0</source>
        <translation>X0</translation>
    </message>
    <message>
        <source>Yambda</source>
        <translation>Yambda</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>lower</source>
        <extracomment>Not shown. How a name is written inside a sentence: &quot;lower&quot; with small letters, as in English; &quot;kept&quot; as at the beginning, for a language that writes nouns with capitals.</extracomment>
        <translation>kept</translation>
    </message>
</context>
<context>
    <name>MaskingPanel</name>
    <message>
        <source>[MASK]</source>
        <translation>[MASK]</translation>
    </message>
    <message>
        <source>another token</source>
        <translation>ein anderes Token</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>bleibt</translation>
    </message>
</context>
<context>
    <name>Outcome</name>
    <message>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
    <message>
        <source>not chosen</source>
        <translation>nicht gewählt</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>nicht installiert</translation>
    </message>
    <message>
        <source>not supported here</source>
        <translation>hier nicht unterstützt</translation>
    </message>
    <message>
        <source>not a shared object</source>
        <translation>keine Bibliothek</translation>
    </message>
    <message>
        <source>cannot be loaded</source>
        <translation>nicht ladbar</translation>
    </message>
    <message>
        <source>missing symbol</source>
        <translation>Symbol fehlt</translation>
    </message>
    <message>
        <source>wrong ABI</source>
        <translation>falsche ABI</translation>
    </message>
    <message>
        <source>wrong build tag</source>
        <translation>falsche Build-Kennung</translation>
    </message>
    <message>
        <source>init failed</source>
        <translation>Start fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>Importing</source>
        <translation>Import</translation>
    </message>
    <message>
        <source>Importing a catalogue</source>
        <translation>Import eines Katalogs</translation>
    </message>
    <message>
        <source>Importing vectors</source>
        <translation>Import von Vektoren</translation>
    </message>
    <message>
        <source>Finding the k-core</source>
        <translation>Suche nach dem k-Kern</translation>
    </message>
    <message>
        <source>%1 …</source>
        <translation>%1 …</translation>
    </message>
    <message>
        <source>%1 … %2 %</source>
        <translation>%1 … %2 %</translation>
    </message>
    <message>
        <source>About: %1</source>
        <translation>Über: %1</translation>
    </message>
    <message>
        <source>What the glossary says about it</source>
        <translation>Was das Glossar dazu sagt</translation>
    </message>
    <message>
        <source>What the documents say about it</source>
        <translation>Was die Dokumente dazu sagen</translation>
    </message>
    <message>
        <source>Tables (*.csv *.tsv *.txt *.dat *.jsonl *.ndjson *.json *.gz *.zst *.parquet);;All files (*)</source>
        <translation>Tabellen (*.csv *.tsv *.txt *.dat *.jsonl *.ndjson *.json *.gz *.zst *.parquet);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Vectors (*.parquet *.npy *.csv *.tsv *.txt *.gz *.zst);;All files (*)</source>
        <translation>Vektoren (*.parquet *.npy *.csv *.tsv *.txt *.gz *.zst);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>%1 in the document</source>
        <translation>%1 im Dokument</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Als JSON exportieren…</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Lists are not compared: one of the first two runs has no checkpoint, or they share no users.</source>
        <translation>Listen werden nicht verglichen: Einer der ersten beiden Läufe hat keinen Checkpoint, oder sie haben keine gemeinsamen Nutzer.</translation>
    </message>
    <message>
        <source>The first two runs share %1 of their top 10 (%2 %), over %3 users.</source>
        <translation>Die ersten beiden Läufe haben %1 ihrer Top 10 gemeinsam (%2 %), über %3 Nutzer.</translation>
    </message>
    <message>
        <source>These lists answer %1 of each user&apos;s last training row.</source>
        <translation>Diese Listen antworten auf %1 der letzten Trainingszeile jedes Nutzers.</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>Metrics; bold is better than each other run beyond three paired standard errors</source>
        <translation>Metriken; fett ist, was um mehr als drei gepaarte Standardfehler besser ist als jeder andere Lauf</translation>
    </message>
    <message>
        <source>Metrics; none is the best run: %1</source>
        <translation>Metriken; keiner ist der beste Lauf: %1</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>(planned)</source>
        <translation>(nach Plan)</translation>
    </message>
    <message>
        <source>(dense)</source>
        <translation>(dicht)</translation>
    </message>
    <message>
        <source>(its own)</source>
        <translation>(eigenes)</translation>
    </message>
    <message>
        <source>(the data set&apos;s)</source>
        <translation>(das des Datensatzes)</translation>
    </message>
    <message>
        <source>(as in the data)</source>
        <translation>(wie in den Daten)</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>(keine)</translation>
    </message>
    <message>
        <source>(all others)</source>
        <translation>(alle anderen)</translation>
    </message>
    <message>
        <source>(the only list)</source>
        <translation>(die einzige Liste)</translation>
    </message>
    <message>
        <source>(where the crosses begin)</source>
        <translation>(wo die Kreuzungen beginnen)</translation>
    </message>
    <message>
        <source>(its inputs)</source>
        <translation>(seine Eingaben)</translation>
    </message>
    <message>
        <source>examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>rows of a user</source>
        <translation>Zeilen eines Nutzers</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>batches</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>validations</source>
        <translation>Validierungen</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>%1 … %2</source>
        <translation>%1 … %2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>above %1</source>
        <translation>über %1</translation>
    </message>
    <message>
        <source>below %1</source>
        <translation>unter %1</translation>
    </message>
    <message>
        <source>Accepted: %1.</source>
        <translation>Zulässig: %1.</translation>
    </message>
    <message>
        <source>May be left empty.</source>
        <translation>Darf leer bleiben.</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>eine Liste</translation>
    </message>
    <message>
        <source>%1, or a list</source>
        <translation>%1 oder eine Liste</translation>
    </message>
    <message>
        <source>%1, or %2</source>
        <translation>%1 oder %2</translation>
    </message>
    <message>
        <source>Log-Q correction</source>
        <translation>Log-Q-Korrektur</translation>
    </message>
    <message>
        <source>GLU</source>
        <translation>GLU</translation>
    </message>
    <message>
        <source>experiment&apos;s</source>
        <translation>des Experiments</translation>
    </message>
    <message>
        <source>%1, rate %2</source>
        <translation>%1, Rate %2</translation>
    </message>
    <message>
        <source>uniform %1 … %2</source>
        <translation>gleichverteilt %1 … %2</translation>
    </message>
    <message>
        <source>%1 %2 ± %3</source>
        <translation>%1 %2 ± %3</translation>
    </message>
    <message>
        <source>constant %1</source>
        <translation>konstant %1</translation>
    </message>
    <message>
        <source>variance scaling %1</source>
        <translation>varianzskaliert %1</translation>
    </message>
    <message>
        <source>not on this machine</source>
        <translation>nicht auf diesem Rechner</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>1 Gerät</translation>
    </message>
    <message numerus="yes">
        <source>%n devices, one axis</source>
        <translation>
            <numerusform>%n Gerät, eine Achse</numerusform>
            <numerusform>%n Geräte, eine Achse</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose the devices</source>
        <translation>Geräte wählen</translation>
    </message>
    <message>
        <source>Choose the shape</source>
        <translation>Form wählen</translation>
    </message>
    <message>
        <source>shared by all devices</source>
        <translation>allen Geräten gemeinsam</translation>
    </message>
    <message>
        <source>%1 over all devices</source>
        <translation>%1 über alle Geräte</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>gewählt</translation>
    </message>
    <message>
        <source>exceeds the memory</source>
        <translation>übersteigt den Speicher</translation>
    </message>
    <message>
        <source>%1 slower</source>
        <translation>%1 langsamer</translation>
    </message>
    <message>
        <source>not faster</source>
        <translation>nicht schneller</translation>
    </message>
    <message>
        <source>%1 sent per step</source>
        <translation>%1 je Schritt gesendet</translation>
    </message>
    <message>
        <source>%1 rows read here per step</source>
        <translation>%1 Zeilen hier je Schritt gelesen</translation>
    </message>
    <message>
        <source>step buffers</source>
        <translation>Schrittpuffer</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>auto (planner)</source>
        <translation>auto (Planer)</translation>
    </message>
    <message>
        <source>replicated</source>
        <translation>repliziert</translation>
    </message>
    <message>
        <source>row-wise (modulo)</source>
        <translation>zeilenweise (modulo)</translation>
    </message>
    <message>
        <source>row-wise (block)</source>
        <translation>zeilenweise (Blöcke)</translation>
    </message>
    <message>
        <source>column-wise</source>
        <translation>spaltenweise</translation>
    </message>
    <message>
        <source>table-wise on %1</source>
        <translation>ganz auf %1</translation>
    </message>
    <message>
        <source>table-wise</source>
        <translation>tabellenweise</translation>
    </message>
    <message>
        <source>Place table %1</source>
        <translation>Tabelle %1 platzieren</translation>
    </message>
    <message>
        <source>Apply the plan</source>
        <translation>Plan übernehmen</translation>
    </message>
    <message>
        <source>Sizes are known once the problems are fixed.</source>
        <translation>Die Größen sind bekannt, sobald die Probleme behoben sind.</translation>
    </message>
    <message>
        <source>Parameters with optimizer state %1, step buffers %2, total %3</source>
        <translation>Parameter mit Optimiererzustand %1, Schrittpuffer %2, zusammen %3</translation>
    </message>
    <message>
        <source>, of it %1 in the host&apos;s memory</source>
        <translation>, davon %1 im Speicher des Rechners</translation>
    </message>
    <message>
        <source> of %1 memory</source>
        <translation> von %1 Speicher</translation>
    </message>
    <message>
        <source>, and tables whose rows are known after the import</source>
        <translation>, dazu Tabellen, deren Zeilenzahl nach dem Import bekannt ist</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Sent per step</source>
        <translation>Je Schritt gesendet</translation>
    </message>
    <message>
        <source>Chosen by</source>
        <translation>Gewählt von</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>the document</source>
        <translation>dem Dokument</translation>
    </message>
    <message>
        <source>the planner</source>
        <translation>dem Planer</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisierung</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Peak bytes per device</source>
        <translation>Spitze der Bytes je Gerät</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>Je Schritt</translation>
    </message>
    <message>
        <source>Estimated</source>
        <translation>Geschätzt</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Waiting for devices</source>
        <translation>Warten auf Geräte</translation>
    </message>
    <message>
        <source>Waiting for input</source>
        <translation>Warten auf Eingabe</translation>
    </message>
    <message>
        <source>Training, fullest device</source>
        <translation>Training, vollstes Gerät</translation>
    </message>
    <message>
        <source>Evaluation buffers</source>
        <translation>Puffer der Auswertung</translation>
    </message>
    <message>
        <source>Vectors of items and queries</source>
        <translation>Vektoren der Artikel und Anfragen</translation>
    </message>
    <message>
        <source>Histories</source>
        <translation>Historien</translation>
    </message>
    <message>
        <source>Tables in the host&apos;s memory</source>
        <translation>Tabellen im Speicher des Rechners</translation>
    </message>
    <message>
        <source>Peak memory of the run</source>
        <translation>Spitzenspeicher des Laufs</translation>
    </message>
    <message>
        <source>dense feature %1</source>
        <translation>dichtes Merkmal %1</translation>
    </message>
    <message>
        <source>history · table %1</source>
        <translation>Historie · Tabelle %1</translation>
    </message>
    <message>
        <source>table %1</source>
        <translation>Tabelle %1</translation>
    </message>
    <message>
        <source>concat</source>
        <translation>verketten</translation>
    </message>
    <message>
        <source>concatenated</source>
        <translation>verkettet</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>masked positions</source>
        <translation>maskierte Positionen</translation>
    </message>
    <message>
        <source>%1 % of the tokens</source>
        <translation>%1 % der Token</translation>
    </message>
    <message>
        <source>tied output</source>
        <translation>gekoppelte Ausgabe</translation>
    </message>
    <message>
        <source>× the table of the tokens · %1</source>
        <translation>× die Tabelle der Token · %1</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>The width is unknown: its inputs are missing or wrong.</source>
        <translation>Die Breite ist unbekannt: Eingaben fehlen oder sind falsch.</translation>
    </message>
    <message>
        <source>feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message numerus="yes">
        <source>%n features: %1</source>
        <translation>
            <numerusform>%n Merkmal: %1</numerusform>
            <numerusform>%n Merkmale: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> and %n more</source>
        <translation>
            <numerusform> und %n weiteres</numerusform>
            <numerusform> und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>; accepted: %1</source>
        <translation>; zulässig: %1</translation>
    </message>
    <message>
        <source>%1. Accepted: %2</source>
        <translation>%1. Zulässig: %2</translation>
    </message>
    <message>
        <source>Learning rate × devices: %1 × %2 = %3.</source>
        <translation>Lernrate × Geräte: %1 × %2 = %3.</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>Two towers</source>
        <translation>Zwei Türme</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>Rangordnung</translation>
    </message>
    <message>
        <source>Masked language model</source>
        <translation>Maskiertes Sprachmodell</translation>
    </message>
    <message>
        <source>%1 · %2 dimensions · %3 · %4 epochs</source>
        <translation>%1 · %2 Dimensionen · %3 · %4 Epochen</translation>
    </message>
    <message>
        <source>Needs MovieLens 100K: the folder ml-100k, free for research from grouplens.org</source>
        <translation>Braucht MovieLens 100K: den Ordner ml-100k, für die Forschung frei bei grouplens.org</translation>
    </message>
    <message>
        <source>Needs texts: a file of lines or a folder such as wikitext-2, and a vocabulary of tokens (%1) beside them</source>
        <translation>Braucht Texte: eine Datei mit Zeilen oder einen Ordner wie wikitext-2, daneben ein Token-Vokabular (%1)</translation>
    </message>
    <message>
        <source>Needs a Parquet file with the columns %1</source>
        <translation>Braucht eine Parquet-Datei mit den Spalten %1</translation>
    </message>
    <message>
        <source>Needs a file of JSON lines with the keys %1</source>
        <translation>Braucht eine Datei mit JSON-Zeilen und den Schlüsseln %1</translation>
    </message>
    <message>
        <source>Needs a text file of rows with the columns %1</source>
        <translation>Braucht eine Textdatei mit Zeilen und den Spalten %1</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The folder ml-100k (with u.data in it), or the folder above it</source>
        <translation>Der Ordner ml-100k (mit u.data darin) oder der Ordner darüber</translation>
    </message>
    <message>
        <source>A folder with wiki.{train,valid,test}.tokens or {train,valid,test}.txt</source>
        <translation>Ein Ordner mit wiki.{train,valid,test}.tokens oder {train,valid,test}.txt</translation>
    </message>
    <message>
        <source>A file of lines of text, or the zip archive of a corpus</source>
        <translation>Eine Datei mit Textzeilen oder das Zip-Archiv eines Korpus</translation>
    </message>
    <message>
        <source>Texts (*.txt *.tokens *.raw *.gz *.zst *.zip)</source>
        <translation>Texte (*.txt *.tokens *.raw *.gz *.zst *.zip)</translation>
    </message>
    <message>
        <source>A file with the columns %1</source>
        <translation>Eine Datei mit den Spalten %1</translation>
    </message>
    <message>
        <source>Parquet (*.parquet)</source>
        <translation>Parquet (*.parquet)</translation>
    </message>
    <message>
        <source>JSON lines (*.jsonl *.ndjson *.json *.gz *.zst *.zip)</source>
        <translation>JSON-Zeilen (*.jsonl *.ndjson *.json *.gz *.zst *.zip)</translation>
    </message>
    <message>
        <source>Tables (*.csv *.tsv *.txt *.gz *.zst *.zip)</source>
        <translation>Tabellen (*.csv *.tsv *.txt *.gz *.zst *.zip)</translation>
    </message>
    <message>
        <source>Needs no data</source>
        <translation>Braucht keine Daten</translation>
    </message>
    <message>
        <source>Needs no data: generates %1 %2 of %3 users and %4 items</source>
        <translation>Braucht keine Daten: erzeugt %1 %2 von %3 Nutzern und %4 Artikeln</translation>
    </message>
    <message>
        <source>Published: %1</source>
        <translation>Veröffentlicht: %1</translation>
    </message>
    <message>
        <source>Item %1</source>
        <translation>Artikel %1</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>a moment</source>
        <translation>ein Moment</translation>
    </message>
    <message>
        <source>Stopped by hand after epoch %1 of %2.</source>
        <translation>Von Hand gestoppt nach Epoche %1 von %2.</translation>
    </message>
    <message>
        <source>Stopped early (patience %2): %1 improved no more; best epoch %3.</source>
        <translation>Vorzeitig gestoppt (Geduld %2): %1 wurde nicht mehr besser; beste Epoche %3.</translation>
    </message>
    <message>
        <source>Best in its last epoch by %1: it may go on learning.</source>
        <translation>Nach %1 am besten in der letzten Epoche: Der Lauf könnte weiter lernen.</translation>
    </message>
    <message>
        <source>Best epoch %1 of %2 by %3.</source>
        <translation>Beste Epoche %1 von %2 nach %3.</translation>
    </message>
    <message>
        <source>The split leaks: %1.</source>
        <translation>Die Aufteilung ist undicht: %1.</translation>
    </message>
    <message>
        <source>A baseline is left out: %1.</source>
        <translation>Eine Baseline fehlt: %1.</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Crashed</source>
        <translation>Abgestürzt</translation>
    </message>
    <message>
        <source>Diverged</source>
        <translation>Divergiert</translation>
    </message>
    <message>
        <source>Disk full</source>
        <translation>Platte voll</translation>
    </message>
    <message>
        <source>Device lost</source>
        <translation>Gerät verloren</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1, %2.</source>
        <translation>%1, %2.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Waits in the queue since %1; starts when no run of the workspace is under way and the queue is not on hold.</source>
        <translation>Wartet seit %1 in der Warteschlange; beginnt, wenn kein Lauf des Arbeitsbereichs trainiert und die Warteschlange nicht angehalten ist.</translation>
    </message>
    <message>
        <source>Take out of the queue</source>
        <translation>Aus der Warteschlange nehmen</translation>
    </message>
    <message>
        <source>%1 since %2.</source>
        <translation>%1 seit %2.</translation>
    </message>
    <message>
        <source>Show in Train</source>
        <translation>Im Training zeigen</translation>
    </message>
    <message>
        <source>Finished after %1.</source>
        <translation>Fertig nach %1.</translation>
    </message>
    <message>
        <source>Browse its recommendations</source>
        <translation>Empfehlungen ansehen</translation>
    </message>
    <message>
        <source>Stopped before its first step.</source>
        <translation>Vor dem ersten Schritt gestoppt.</translation>
    </message>
    <message>
        <source>Its process ended without reporting; last heartbeat %1.</source>
        <translation>Der Prozess endete ohne Meldung; letztes Lebenszeichen %1.</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>Fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Change the experiment</source>
        <translation>Experiment ändern</translation>
    </message>
    <message>
        <source>Diverged.</source>
        <translation>Divergiert.</translation>
    </message>
    <message>
        <source>The disk was full. Make room, then resume.</source>
        <translation>Die Platte war voll. Schaffen Sie Platz und setzen Sie dann fort.</translation>
    </message>
    <message>
        <source>A device was lost.</source>
        <translation>Ein Gerät ging verloren.</translation>
    </message>
    <message>
        <source>Mean squared error</source>
        <translation>Mittlerer quadratischer Fehler</translation>
    </message>
    <message>
        <source>Binary cross entropy</source>
        <translation>Binäre Kreuzentropie</translation>
    </message>
    <message>
        <source>BPR</source>
        <translation>BPR</translation>
    </message>
    <message>
        <source>Sampled binary cross entropy</source>
        <translation>Binäre Kreuzentropie mit Stichprobe</translation>
    </message>
    <message>
        <source>Cosine contrastive</source>
        <translation>Kosinus-kontrastiv</translation>
    </message>
    <message>
        <source>In-batch softmax</source>
        <translation>Softmax im Stapel</translation>
    </message>
    <message>
        <source>ListMLE</source>
        <translation>ListMLE</translation>
    </message>
    <message>
        <source>Pairwise squared error</source>
        <translation>Paarweiser quadratischer Fehler</translation>
    </message>
    <message>
        <source>Pairwise soft 0/1</source>
        <translation>Paarweise, weiche 0/1</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>SGD</source>
        <translation>SGD</translation>
    </message>
    <message>
        <source>FTRL</source>
        <translation>FTRL</translation>
    </message>
    <message>
        <source>Row-wise Adagrad</source>
        <translation>Zeilenweises Adagrad</translation>
    </message>
    <message>
        <source>ReLU</source>
        <translation>ReLU</translation>
    </message>
    <message>
        <source>GELU</source>
        <translation>GELU</translation>
    </message>
    <message>
        <source>GELU (tanh)</source>
        <translation>GELU (tanh)</translation>
    </message>
    <message>
        <source>SiLU</source>
        <translation>SiLU</translation>
    </message>
    <message>
        <source>log(1 + x)</source>
        <translation>log(1 + x)</translation>
    </message>
    <message>
        <source>Sampling correction (log Q)</source>
        <translation>Stichprobenkorrektur (log Q)</translation>
    </message>
    <message>
        <source>L2 normalize</source>
        <translation>L2-Normierung</translation>
    </message>
    <message>
        <source>Dot product</source>
        <translation>Skalarprodukt</translation>
    </message>
    <message>
        <source>MovieLens</source>
        <translation>MovieLens</translation>
    </message>
    <message>
        <source>Text file (CSV, TSV)</source>
        <translation>Textdatei (CSV, TSV)</translation>
    </message>
    <message>
        <source>Lines of text</source>
        <translation>Textzeilen</translation>
    </message>
    <message>
        <source>Replicated</source>
        <translation>Repliziert</translation>
    </message>
    <message>
        <source>Row-wise (modulo)</source>
        <translation>Zeilenweise (modulo)</translation>
    </message>
    <message>
        <source>Column-wise</source>
        <translation>Spaltenweise</translation>
    </message>
    <message>
        <source>Table-wise</source>
        <translation>Tabellenweise</translation>
    </message>
    <message>
        <source>Row-wise (block)</source>
        <translation>Zeilenweise (Blöcke)</translation>
    </message>
    <message>
        <source>Sum / √n</source>
        <translation>Summe / √n</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>fp32</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>tf32</source>
        <translation>tf32</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Tables &amp; features</source>
        <translation>Tabellen &amp; Merkmale</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Devices &amp; placement</source>
        <translation>Geräte &amp; Platzierung</translation>
    </message>
    <message>
        <source>File or folder</source>
        <translation>Datei oder Ordner</translation>
    </message>
    <message>
        <source>Rows to read</source>
        <translation>Zu lesende Zeilen</translation>
    </message>
    <message>
        <source>WordPiece vocabulary</source>
        <translation>WordPiece-Vokabular</translation>
    </message>
    <message>
        <source>Lower case</source>
        <translation>Kleinschreibung</translation>
    </message>
    <message>
        <source>Min. bytes of a line</source>
        <translation>Min. Bytes einer Zeile</translation>
    </message>
    <message>
        <source>Max. tokens of a sequence</source>
        <translation>Max. Token einer Sequenz</translation>
    </message>
    <message>
        <source>Max. rejected share</source>
        <translation>Max. abgewiesener Anteil</translation>
    </message>
    <message>
        <source>Weight column</source>
        <translation>Gewichtsspalte</translation>
    </message>
    <message>
        <source>Label column</source>
        <translation>Label-Spalte</translation>
    </message>
    <message>
        <source>Label scale</source>
        <translation>Label-Skala</translation>
    </message>
    <message>
        <source>Generated</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>Generator seed</source>
        <translation>Seed des Generators</translation>
    </message>
    <message>
        <source>Min. rows per user</source>
        <translation>Min. Zeilen je Nutzer</translation>
    </message>
    <message>
        <source>Min. rows per item</source>
        <translation>Min. Zeilen je Artikel</translation>
    </message>
    <message>
        <source>Global batch size</source>
        <translation>Globale Stapelgröße</translation>
    </message>
    <message>
        <source>Batch size per device</source>
        <translation>Stapelgröße je Gerät</translation>
    </message>
    <message>
        <source>Order of batches</source>
        <translation>Reihenfolge der Stapel</translation>
    </message>
    <message>
        <source>Drop a short batch</source>
        <translation>Kurzen Stapel verwerfen</translation>
    </message>
    <message>
        <source>Keep in memory</source>
        <translation>Im Speicher halten</translation>
    </message>
    <message>
        <source>Split: unknown users</source>
        <translation>Aufteilung: unbekannte Nutzer</translation>
    </message>
    <message>
        <source>Split: unknown items</source>
        <translation>Aufteilung: unbekannte Artikel</translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation>Checkpoint alle</translation>
    </message>
    <message>
        <source>Keep the last checkpoints</source>
        <translation>Letzte Checkpoints behalten</translation>
    </message>
    <message>
        <source>Keep the best by</source>
        <translation>Besten behalten nach</translation>
    </message>
    <message>
        <source>Early stopping: min. change</source>
        <translation>Vorzeitiges Stoppen: min. Änderung</translation>
    </message>
    <message>
        <source>List lengths</source>
        <translation>Listenlängen</translation>
    </message>
    <message>
        <source>Lists: measured</source>
        <translation>Listen: gemessen</translation>
    </message>
    <message>
        <source>Lists: a query is</source>
        <translation>Listen: eine Anfrage ist</translation>
    </message>
    <message>
        <source>Lists: queries drawn</source>
        <translation>Listen: gezogene Anfragen</translation>
    </message>
    <message>
        <source>Lists: metrics</source>
        <translation>Listen: Metriken</translation>
    </message>
    <message>
        <source>Lists: segments</source>
        <translation>Listen: Segmente</translation>
    </message>
    <message>
        <source>Lists: pairs known from training</source>
        <translation>Listen: aus dem Training bekannte Paare</translation>
    </message>
    <message>
        <source>Lists: protocol of a benchmark</source>
        <translation>Listen: Protokoll eines Benchmarks</translation>
    </message>
    <message>
        <source>Published curve</source>
        <translation>Veröffentlichte Kurve</translation>
    </message>
    <message>
        <source>Feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Query layer</source>
        <translation>Anfrageschicht</translation>
    </message>
    <message>
        <source>Candidate layer</source>
        <translation>Kandidatenschicht</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Choose the file of %1</source>
        <translation>Datei für %1 wählen</translation>
    </message>
    <message>
        <source>Chooses the file of these rows</source>
        <translation>Wählt die Datei dieser Zeilen</translation>
    </message>
    <message>
        <source>that of the corpus</source>
        <translation>das des Korpus</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Context strength</source>
        <translation>Stärke des Kontexts</translation>
    </message>
    <message>
        <source>Order strength</source>
        <translation>Stärke der Reihenfolge</translation>
    </message>
    <message>
        <source>Delimiter</source>
        <translation>Trennzeichen</translation>
    </message>
    <message>
        <source>Quote</source>
        <translation>Anführungszeichen</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>Kopfzeile</translation>
    </message>
    <message>
        <source>Names of columns</source>
        <translation>Spaltennamen</translation>
    </message>
    <message>
        <source>Two numbers, lowest and highest label: they become 0 and 1.</source>
        <translation>Zwei Zahlen, kleinstes und größtes Label: Sie werden 0 und 1.</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Leave last</source>
        <translation>Letzte zurückhalten</translation>
    </message>
    <message>
        <source>Leave random</source>
        <translation>Zufällige zurückhalten</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Temporal</source>
        <translation>Zeitlich</translation>
    </message>
    <message>
        <source>By a column</source>
        <translation>Nach einer Spalte</translation>
    </message>
    <message>
        <source>A file for each part</source>
        <translation>Eine Datei je Teil</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>Counts of rows, or shares between 0 and 1; rows of each user or batches where the kind says so.</source>
        <translation>Zeilenzahlen oder Anteile zwischen 0 und 1; Zeilen jedes Nutzers oder Stapel, wo die Art es sagt.</translation>
    </message>
    <message>
        <source>Files with the same columns. Validation or test may be left empty, not both.</source>
        <translation>Dateien mit denselben Spalten. Validierung oder Test darf leer bleiben, nicht beide.</translation>
    </message>
    <message>
        <source>A folder of texts has a file for each part. Of a single file the first 90 % of the lines train, and the others validate.</source>
        <translation>Ein Ordner mit Texten hat eine Datei je Teil. Von einer einzelnen Datei trainieren die ersten 90 % der Zeilen, die übrigen validieren.</translation>
    </message>
    <message>
        <source>Validation seconds</source>
        <translation>Sekunden der Validierung</translation>
    </message>
    <message>
        <source>Test seconds</source>
        <translation>Sekunden des Tests</translation>
    </message>
    <message>
        <source>Gap seconds</source>
        <translation>Sekunden der Lücke</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Unknown users</source>
        <translation>Unbekannte Nutzer</translation>
    </message>
    <message>
        <source>Unknown items</source>
        <translation>Unbekannte Artikel</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Its cells are train, validation or test.</source>
        <translation>Die Zellen sind train, validation oder test.</translation>
    </message>
    <message>
        <source>The data have no column “%1”: choose the one whose cells are train, validation or test.</source>
        <translation>Die Daten haben keine Spalte „%1“: Wählen Sie die, deren Zellen train, validation oder test sind.</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>Step = rate · gradient / √(accumulator + ε), as Keras.</source>
        <translation>Schritt = Rate · Gradient / √(Akkumulator + ε), wie Keras.</translation>
    </message>
    <message>
        <source>Step = rate · gradient / (√accumulator + ε), as PyTorch.</source>
        <translation>Schritt = Rate · Gradient / (√Akkumulator + ε), wie PyTorch.</translation>
    </message>
    <message>
        <source>One accumulator a row: the mean of its squared gradients.</source>
        <translation>Ein Akkumulator je Zeile: der Mittelwert der quadrierten Gradienten.</translation>
    </message>
    <message>
        <source>ε is added to the root of the corrected second moment, as the paper and PyTorch do.</source>
        <translation>ε wird zur Wurzel des korrigierten zweiten Moments addiert, wie in der Veröffentlichung und in PyTorch.</translation>
    </message>
    <message>
        <source>ε is added to the root of the uncorrected second moment, as Keras does.</source>
        <translation>ε wird zur Wurzel des unkorrigierten zweiten Moments addiert, wie in Keras.</translation>
    </message>
    <message>
        <source>Step = rate · gradient.</source>
        <translation>Schritt = Rate · Gradient.</translation>
    </message>
    <message>
        <source>Step = rate · gradient + momentum.</source>
        <translation>Schritt = Rate · Gradient + Momentum.</translation>
    </message>
    <message>
        <source>Rows without a gradient stay where they are.</source>
        <translation>Zeilen ohne Gradient bleiben, wo sie sind.</translation>
    </message>
    <message>
        <source>Lazy: only the rows of the batch move.</source>
        <translation>Träge: Nur die Zeilen des Stapels bewegen sich.</translation>
    </message>
    <message>
        <source>Dense: rows that a batch did not touch move, too.</source>
        <translation>Dicht: Auch Zeilen, die ein Stapel nicht berührt hat, bewegen sich.</translation>
    </message>
    <message>
        <source>Parapet</source>
        <translation>Parapet</translation>
    </message>
    <message>
        <source>The workspace cannot be opened</source>
        <translation>Der Arbeitsbereich lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>Anderen Ordner wählen…</translation>
    </message>
    <message>
        <source>A new folder becomes an empty workspace</source>
        <translation>Ein neuer Ordner wird ein leerer Arbeitsbereich</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Choose the folder of a workspace</source>
        <translation>Ordner eines Arbeitsbereichs wählen</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Checking checkpoints</source>
        <translation>Checkpoints werden geprüft</translation>
    </message>
    <message>
        <source>Checking data sets</source>
        <translation>Datensätze werden geprüft</translation>
    </message>
    <message>
        <source>Checking files</source>
        <translation>Dateien werden geprüft</translation>
    </message>
    <message>
        <source>Checking the database</source>
        <translation>Die Datenbank wird geprüft</translation>
    </message>
    <message>
        <source>Checking the model</source>
        <translation>Das Modell wird geprüft</translation>
    </message>
    <message>
        <source>Checking the source</source>
        <translation>Die Quelle wird geprüft</translation>
    </message>
    <message>
        <source>Checking the split</source>
        <translation>Die Aufteilung wird geprüft</translation>
    </message>
    <message>
        <source>Choosing rows for baselines</source>
        <translation>Zeilen für Baselines werden gewählt</translation>
    </message>
    <message>
        <source>Comparing contexts</source>
        <translation>Kontexte werden verglichen</translation>
    </message>
    <message>
        <source>Comparing lists</source>
        <translation>Listen werden verglichen</translation>
    </message>
    <message>
        <source>Comparing variants on validation rows</source>
        <translation>Varianten werden auf Validierungszeilen verglichen</translation>
    </message>
    <message>
        <source>Copying the rows</source>
        <translation>Die Zeilen werden kopiert</translation>
    </message>
    <message>
        <source>Counting rows</source>
        <translation>Zeilen werden gezählt</translation>
    </message>
    <message>
        <source>Counting words</source>
        <translation>Wörter werden gezählt</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Wird heruntergeladen</translation>
    </message>
    <message>
        <source>Evaluating</source>
        <translation>Wird ausgewertet</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>Wird exportiert</translation>
    </message>
    <message>
        <source>Fitting EASE</source>
        <translation>EASE wird angepasst</translation>
    </message>
    <message>
        <source>Fitting SVD</source>
        <translation>SVD wird angepasst</translation>
    </message>
    <message>
        <source>Fitting item-kNN</source>
        <translation>item-kNN wird angepasst</translation>
    </message>
    <message>
        <source>Generating</source>
        <translation>Wird erzeugt</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Indexing</source>
        <translation>Wird indiziert</translation>
    </message>
    <message>
        <source>Listing</source>
        <translation>Listen werden geschrieben</translation>
    </message>
    <message>
        <source>Looking at rows</source>
        <translation>Zeilen werden angesehen</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Wird gemessen</translation>
    </message>
    <message>
        <source>Measuring baselines</source>
        <translation>Baselines werden gemessen</translation>
    </message>
    <message>
        <source>Measuring kept checkpoints again</source>
        <translation>Behaltene Checkpoints werden neu gemessen</translation>
    </message>
    <message>
        <source>Measuring lists</source>
        <translation>Listen werden gemessen</translation>
    </message>
    <message>
        <source>Measuring losses</source>
        <translation>Verluste werden gemessen</translation>
    </message>
    <message>
        <source>Measuring most popular</source>
        <translation>Beliebteste werden gemessen</translation>
    </message>
    <message>
        <source>Measuring popular in the context</source>
        <translation>Im Kontext Beliebte werden gemessen</translation>
    </message>
    <message>
        <source>Merging pairs</source>
        <translation>Paare werden verschmolzen</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Wird vorbereitet</translation>
    </message>
    <message>
        <source>Step by step</source>
        <translation>Schritt für Schritt</translation>
    </message>
    <message>
        <source>Testing</source>
        <translation>Wird getestet</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>Wird entpackt</translation>
    </message>
    <message>
        <source>Vectors of users</source>
        <translation>Vektoren der Nutzer</translation>
    </message>
    <message>
        <source>Writing curves</source>
        <translation>Kurven werden geschrieben</translation>
    </message>
    <message>
        <source>Writing the archive</source>
        <translation>Das Archiv wird geschrieben</translation>
    </message>
    <message>
        <source>ratings</source>
        <translation>Bewertungen</translation>
    </message>
    <message>
        <source>impressions</source>
        <translation>Einblendungen</translation>
    </message>
    <message>
        <source>listening events</source>
        <translation>Hörereignisse</translation>
    </message>
    <message>
        <source>Parapet ended while it was starting</source>
        <translation>Parapet wurde während des Starts beendet</translation>
    </message>
    <message>
        <source>Safe mode starts without plugins, and with the default layout and settings. Yours are kept as they are.</source>
        <translation>Der abgesicherte Modus startet ohne Plugins und mit den Standardeinstellungen. Ihre Einstellungen bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Start in safe mode</source>
        <translation>Abgesichert starten</translation>
    </message>
    <message>
        <source>Start normally</source>
        <translation>Normal starten</translation>
    </message>
    <message>
        <source>Following process 0</source>
        <translation>Folgt Prozess 0</translation>
    </message>
</context>
<context>
    <name>RankingMetric</name>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>nDCG</source>
        <translation>nDCG</translation>
    </message>
    <message>
        <source>Hit rate</source>
        <translation>Trefferquote</translation>
    </message>
    <message>
        <source>MRR</source>
        <translation>MRR</translation>
    </message>
    <message>
        <source>MAP</source>
        <translation>MAP</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Precision</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Abdeckung</translation>
    </message>
    <message>
        <source>Popularity</source>
        <translation>Popularität</translation>
    </message>
    <message>
        <source>Novelty</source>
        <translation>Neuheit</translation>
    </message>
    <message>
        <source>Gini index</source>
        <translation>Gini-Index</translation>
    </message>
</context>
<context>
    <name>RunProgressView</name>
    <message>
        <source>What the run does now</source>
        <translation>Was der Lauf gerade tut</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>From the time of the last steps and of validation; the range is as wide as they vary</source>
        <translation>Aus der Zeit der letzten Schritte und der Validierung; die Spanne ist so breit, wie diese schwanken</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>did not start</source>
        <translation>nicht gestartet</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>%1 – %2 left</source>
        <translation>noch %1 – %2</translation>
    </message>
    <message>
        <source>No run was trained in this session yet</source>
        <translation>In dieser Sitzung wurde noch kein Lauf trainiert</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>%1 · epoch %2 of %3</source>
        <translation>%1 · Epoche %2 von %3</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>%1 · process %2 was asked to stop</source>
        <translation>%1 · Prozess %2 wurde um einen Stopp gebeten</translation>
    </message>
    <message>
        <source>%1 · process %2 was asked to pause</source>
        <translation>%1 · Prozess %2 wurde um eine Pause gebeten</translation>
    </message>
    <message>
        <source>%1 · process %2 was asked to go on</source>
        <translation>%1 · Prozess %2 wurde gebeten fortzufahren</translation>
    </message>
    <message>
        <source>%1 · %2 in process %3</source>
        <translation>%1 · %2 in Prozess %3</translation>
    </message>
    <message>
        <source>Stopped before it trained</source>
        <translation>Gestoppt, bevor trainiert wurde</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>TitleBar</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>aus %1</translation>
    </message>
    <message>
        <source>What the document was made from</source>
        <translation>Woraus das Dokument entstand</translation>
    </message>
    <message>
        <source>What the document was made from. Every edit is saved in the workspace, and Undo takes it back.</source>
        <translation>Woraus das Dokument entstand. Jede Änderung wird im Arbeitsbereich gespeichert und lässt sich rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::AttentionView</name>
    <message>
        <source>Attention of a head</source>
        <translation>Attention eines Kopfs</translation>
    </message>
    <message>
        <source>A row is what a token reads; ↑ and ↓ choose it</source>
        <translation>Eine Zeile ist, was ein Token liest; ↑ und ↓ wählen sie</translation>
    </message>
    <message>
        <source>Full colour: %1 %, the largest weight of this head</source>
        <translation>Volle Farbe: %1 %, das größte Gewicht dieses Kopfs</translation>
    </message>
    <message>
        <source>%1 reads %2 with %3 %</source>
        <translation>%1 liest %2 mit %3 %</translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation>%1 %2 %</translation>
    </message>
    <message>
        <source>%1, token %2</source>
        <translation>%1, Token %2</translation>
    </message>
    <message>
        <source>reads %1</source>
        <translation>liest %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::BatchPanel</name>
    <message>
        <source>This batch</source>
        <translation>Dieser Stapel</translation>
    </message>
    <message>
        <source>Step and loss of the batch</source>
        <translation>Schritt und Verlust des Stapels</translation>
    </message>
    <message>
        <source>Loss terms</source>
        <translation>Verlustterme</translation>
    </message>
    <message>
        <source>Value of each loss over this batch, and its share</source>
        <translation>Wert jedes Verlusts über diesen Stapel und sein Anteil</translation>
    </message>
    <message>
        <source>Norms of parameters</source>
        <translation>Normen der Parameter</translation>
    </message>
    <message>
        <source>Rows of the batch before the step, their gradients before clipping and decay, and what the optimizer added; all as L2 norms</source>
        <translation>Zeilen des Stapels vor dem Schritt, ihre Gradienten vor Kappung und Abklingen, und was der Optimierer addiert hat; alles als L2-Normen</translation>
    </message>
    <message>
        <source>Ids of the features</source>
        <translation>Ids der Merkmale</translation>
    </message>
    <message>
        <source>Ids of the batch; equal ones are merged before rows are read and updated</source>
        <translation>Ids des Stapels; gleiche werden zusammengefasst, bevor Zeilen gelesen und aktualisiert werden</translation>
    </message>
    <message>
        <source>Ids by shard and peer</source>
        <translation>Ids nach Shard und Gegenstelle</translation>
    </message>
    <message>
        <source>What each rank requests of each shard, before and after merging duplicates</source>
        <translation>Was jeder Rang von jedem Shard anfordert, vor und nach dem Zusammenfassen gleicher</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>The first examples of the batch, by the ids of the data</source>
        <translation>Die ersten Beispiele des Stapels, mit den Ids der Daten</translation>
    </message>
</context>
<context>
    <name>parapet::ui::BatchTables</name>
    <message>
        <source>Feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Ids</source>
        <translation>Ids</translation>
    </message>
    <message>
        <source>Distinct</source>
        <translation>Verschieden</translation>
    </message>
    <message>
        <source>Truncated</source>
        <translation>Gekürzt</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Without</source>
        <translation>Ohne</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Shard</source>
        <translation>Shard</translation>
    </message>
    <message>
        <source>On rank</source>
        <translation>Auf Rang</translation>
    </message>
    <message>
        <source>Rows sent</source>
        <translation>Gesendete Zeilen</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>|weight|</source>
        <translation>|Gewicht|</translation>
    </message>
    <message>
        <source>|gradient|</source>
        <translation>|Gradient|</translation>
    </message>
    <message>
        <source>Max. row |gradient|</source>
        <translation>Max. |Gradient| einer Zeile</translation>
    </message>
    <message>
        <source>|update|</source>
        <translation>|Änderung|</translation>
    </message>
    <message>
        <source>Step %1 of epoch %2: %3 examples, loss %4</source>
        <translation>Schritt %1 in Epoche %2: %3 Beispiele, Verlust %4</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
</context>
<context>
    <name>parapet::ui::BrowseBar</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Update the lists</source>
        <translation>Listen aktualisieren</translation>
    </message>
    <message>
        <source>Show the lists of the newer model; rows that moved are tinted</source>
        <translation>Zeigt die Listen des neueren Modells; Zeilen, die sich bewegt haben, sind getönt</translation>
    </message>
    <message>
        <source>Dismiss the notice</source>
        <translation>Hinweis verwerfen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Top </source>
        <translation>Top </translation>
    </message>
    <message>
        <source>Length of the lists</source>
        <translation>Länge der Listen</translation>
    </message>
    <message>
        <source>Items per list, 1 … 500 and at most as many as there are candidates</source>
        <translation>Artikel je Liste, 1 … 500 und höchstens so viele, wie es Kandidaten gibt</translation>
    </message>
    <message>
        <source>As measured</source>
        <translation>Wie gemessen</translation>
    </message>
    <message>
        <source>Keep seen items</source>
        <translation>Gesehene behalten</translation>
    </message>
    <message>
        <source>Exclude training</source>
        <translation>Ohne Training</translation>
    </message>
    <message>
        <source>Exclude all rated</source>
        <translation>Ohne alle bewerteten</translation>
    </message>
    <message>
        <source>Seen items</source>
        <translation>Gesehene Artikel</translation>
    </message>
    <message>
        <source>Which items of the user are left out: as the run&apos;s evaluation did, none, those of the training rows, or those of every imported row</source>
        <translation>Welche Artikel des Nutzers wegbleiben: wie in der Auswertung des Laufs, keine, die der Trainingszeilen oder die jeder importierten Zeile</translation>
    </message>
    <message>
        <source>Copy the lists</source>
        <translation>Listen kopieren</translation>
    </message>
    <message>
        <source>Export the lists as CSV…</source>
        <translation>Listen als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export the lists as JSON…</source>
        <translation>Listen als JSON exportieren…</translation>
    </message>
    <message>
        <source>Export the lists</source>
        <translation>Listen exportieren</translation>
    </message>
    <message>
        <source>Copy or save what is shown, with ids and exact scores</source>
        <translation>Kopiert oder speichert, was zu sehen ist, mit Ids und genauen Scores</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Keep this run</source>
        <translation>Diesen Lauf behalten</translation>
    </message>
    <message>
        <source>Keeps this run while Train shows another; otherwise Browse follows the run of Train</source>
        <translation>Behält diesen Lauf, während „Training“ einen anderen zeigt; sonst folgt diese Seite dem Lauf von „Training“</translation>
    </message>
    <message>
        <source>Show the newest: %1</source>
        <translation>Neuesten zeigen: %1</translation>
    </message>
    <message>
        <source>Opens the model of the newest run, %1</source>
        <translation>Öffnet das Modell des neuesten Laufs, %1</translation>
    </message>
    <message>
        <source>There is a newer model, of step %1.</source>
        <translation>Es gibt ein neueres Modell, von Schritt %1.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::BrowsePage</name>
    <message>
        <source>Lists of the model</source>
        <translation>Listen des Modells</translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>Die Läufe werden gelesen…</translation>
    </message>
    <message>
        <source>&amp;Why</source>
        <translation>&amp;Warum</translation>
    </message>
    <message>
        <source>&amp;Rank of an item</source>
        <translation>&amp;Rang eines Artikels</translation>
    </message>
    <message>
        <source>&amp;Similar items</source>
        <translation>Ä&amp;hnliche Artikel</translation>
    </message>
    <message>
        <source>About the selected item</source>
        <translation>Über den gewählten Artikel</translation>
    </message>
    <message>
        <source>Take the model as it is now</source>
        <translation>Modell im jetzigen Stand nehmen</translation>
    </message>
    <message>
        <source>Copies the model of the run that trains, at its next step</source>
        <translation>Kopiert das Modell des trainierenden Laufs bei dessen nächstem Schritt</translation>
    </message>
    <message>
        <source>Train the sample</source>
        <translation>Beispiel trainieren</translation>
    </message>
    <message>
        <source>A small generated data set; takes seconds and needs no download</source>
        <translation>Ein kleiner erzeugter Datensatz; dauert Sekunden und braucht keinen Download</translation>
    </message>
    <message>
        <source>Choose another run</source>
        <translation>Anderen Lauf wählen</translation>
    </message>
    <message>
        <source>Opens the page of all runs</source>
        <translation>Öffnet die Seite aller Läufe</translation>
    </message>
    <message>
        <source>Find a user</source>
        <translation>Nutzer suchen</translation>
    </message>
    <message>
        <source>Find the rank of an item</source>
        <translation>Rang eines Artikels suchen</translation>
    </message>
    <message>
        <source>Choose which items are listed</source>
        <translation>Wählen, welche Artikel gelistet werden</translation>
    </message>
    <message>
        <source>Duplicate the column</source>
        <translation>Spalte duplizieren</translation>
    </message>
    <message>
        <source>Remove the current column</source>
        <translation>Aktuelle Spalte entfernen</translation>
    </message>
    <message>
        <source>Make the current column the first</source>
        <translation>Aktuelle Spalte nach vorn setzen</translation>
    </message>
    <message>
        <source>Update to the newer model</source>
        <translation>Auf das neuere Modell aktualisieren</translation>
    </message>
    <message>
        <source>The runs cannot be read</source>
        <translation>Die Läufe lassen sich nicht lesen</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
        <source>No item has “%1” in title or id</source>
        <translation>Kein Artikel hat „%1“ in Titel oder Id</translation>
    </message>
    <message>
        <source>Column %1 of %2</source>
        <translation>Spalte %1 von %2</translation>
    </message>
    <message>
        <source>At most %1 columns fit side by side; remove one first</source>
        <translation>Höchstens %1 Spalten passen nebeneinander; entfernen Sie zuerst eine</translation>
    </message>
    <message>
        <source>The list of %1 is shown already</source>
        <translation>Die Liste von %1 ist schon zu sehen</translation>
    </message>
    <message>
        <source>The list of %1 is shown already; select another user to add beside it</source>
        <translation>Die Liste von %1 ist schon zu sehen; wählen Sie einen anderen Nutzer, um ihn daneben zu zeigen</translation>
    </message>
    <message>
        <source>Browse</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Training the sample…</source>
        <translation>Das Beispiel wird trainiert…</translation>
    </message>
    <message>
        <source>The sample did not train</source>
        <translation>Das Beispiel hat nicht trainiert</translation>
    </message>
    <message>
        <source>The run did not start</source>
        <translation>Der Lauf ist nicht gestartet</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>Das Modell wird geöffnet…</translation>
    </message>
    <message>
        <source>Model of run %1</source>
        <translation>Modell von Lauf %1</translation>
    </message>
    <message>
        <source> · step %1</source>
        <translation> · Schritt %1</translation>
    </message>
    <message>
        <source> · pinned</source>
        <translation> · angeheftet</translation>
    </message>
    <message>
        <source> · run %1 of Train has no checkpoint yet</source>
        <translation> · Lauf %1 von „Training“ hat noch keinen Checkpoint</translation>
    </message>
    <message>
        <source>Cannot update: %1</source>
        <translation>Aktualisieren nicht möglich: %1</translation>
    </message>
    <message>
        <source>This model cannot be opened</source>
        <translation>Dieses Modell lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>No trained model yet</source>
        <translation>Noch kein trainiertes Modell</translation>
    </message>
    <message>
        <source>Browse shows what a model recommends to whom, and why. Train the sample to see it at work, or start a run of your own.</source>
        <translation>Diese Seite zeigt, was ein Modell wem empfiehlt und warum. Trainieren Sie das Beispiel, um es bei der Arbeit zu sehen, oder starten Sie einen eigenen Lauf.</translation>
    </message>
    <message>
        <source>A run is under way</source>
        <translation>Ein Lauf trainiert</translation>
    </message>
    <message>
        <source>Its model opens here when it has written a checkpoint.</source>
        <translation>Sein Modell öffnet sich hier, sobald es einen Checkpoint geschrieben hat.</translation>
    </message>
    <message>
        <source>The sample is missing</source>
        <translation>Das Beispiel fehlt</translation>
    </message>
    <message>
        <source>The sample is damaged</source>
        <translation>Das Beispiel ist beschädigt</translation>
    </message>
    <message>
        <source>The remembered view could not be read and was left out</source>
        <translation>Die gemerkte Ansicht ließ sich nicht lesen und wurde weggelassen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::BrowseSession</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>seen items kept</source>
        <translation>gesehene Artikel behalten</translation>
    </message>
    <message>
        <source>training items excluded</source>
        <translation>ohne Artikel des Trainings</translation>
    </message>
    <message>
        <source>all rated items excluded</source>
        <translation>ohne alle bewerteten Artikel</translation>
    </message>
    <message>
        <source>%1 · step %2 · data %3
%4 candidates, %5</source>
        <translation>%1 · Schritt %2 · Daten %3
%4 Kandidaten, %5</translation>
    </message>
    <message>
        <source>%1 (as in the last row)</source>
        <translation>%1 (wie in der letzten Zeile)</translation>
    </message>
    <message>
        <source>%1 (the most frequent)</source>
        <translation>%1 (am häufigsten)</translation>
    </message>
    <message>
        <source>output of the model</source>
        <translation>Ausgabe des Modells</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>dot product</source>
        <translation>Skalarprodukt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CandidateBar</name>
    <message>
        <source>Only where</source>
        <translation>Nur wo</translation>
    </message>
    <message>
        <source>Attribute of the items</source>
        <translation>Attribut der Artikel</translation>
    </message>
    <message>
        <source>Lists only items that have a value of an attribute of the catalogue, in all columns</source>
        <translation>Listet nur Artikel mit einem bestimmten Wert eines Attributs des Katalogs, in allen Spalten</translation>
    </message>
    <message>
        <source>Value of the attribute</source>
        <translation>Wert des Attributs</translation>
    </message>
    <message>
        <source>Choose a value</source>
        <translation>Wert wählen</translation>
    </message>
    <message>
        <source>All items</source>
        <translation>Alle Artikel</translation>
    </message>
    <message>
        <source>The %1 most frequent of %2 values; others can be typed</source>
        <translation>Die %1 häufigsten von %2 Werten; andere lassen sich tippen</translation>
    </message>
    <message>
        <source>%1 values, the most frequent first, each with the number of its items; a value can be typed, too</source>
        <translation>%1 Werte, die häufigsten zuerst, jeder mit der Zahl seiner Artikel; ein Wert lässt sich auch tippen</translation>
    </message>
    <message>
        <source>%1 of %2 items</source>
        <translation>%1 von %2 Artikeln</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CatalogueOffers</name>
    <message>
        <source>%1 is beside the data and has titles of the items (%2).</source>
        <translation>%1 liegt neben den Daten und hat Titel der Artikel (%2).</translation>
    </message>
    <message>
        <source>%1 is beside the data and has names of the users (%2).</source>
        <translation>%1 liegt neben den Daten und hat Namen der Nutzer (%2).</translation>
    </message>
    <message>
        <source>%1 is beside the data and has more about the items.</source>
        <translation>%1 liegt neben den Daten und hat mehr über die Artikel.</translation>
    </message>
    <message>
        <source>%1 is beside the data and has more about the users.</source>
        <translation>%1 liegt neben den Daten und hat mehr über die Nutzer.</translation>
    </message>
    <message>
        <source>Add titles</source>
        <translation>Titel hinzufügen</translation>
    </message>
    <message>
        <source>Add names</source>
        <translation>Namen hinzufügen</translation>
    </message>
    <message>
        <source>Add attributes</source>
        <translation>Attribute hinzufügen</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>Adds %1 as a catalogue: %2</source>
        <translation>Fügt %1 als Katalog hinzu: %2</translation>
    </message>
    <message>
        <source>%1 itself has titles of the items (%2).</source>
        <translation>%1 enthält selbst Titel der Artikel (%2).</translation>
    </message>
    <message>
        <source>%1 itself has names of the users (%2).</source>
        <translation>%1 enthält selbst Namen der Nutzer (%2).</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CataloguesModel</name>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Tells of</source>
        <translation>Beschreibt</translation>
    </message>
    <message>
        <source>Column of ids</source>
        <translation>Id-Spalte</translation>
    </message>
    <message>
        <source>Column of titles</source>
        <translation>Titelspalte</translation>
    </message>
    <message>
        <source>Attributes</source>
        <translation>Attribute</translation>
    </message>
    <message>
        <source>Entries without rows</source>
        <translation>Einträge ohne Zeilen</translation>
    </message>
    <message>
        <source>Text format</source>
        <translation>Textformat</translation>
    </message>
    <message>
        <source>catalogue</source>
        <translation>Katalog</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ChartGrid</name>
    <message>
        <source>Charts of the run</source>
        <translation>Diagramme des Laufs</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CloseQuestion</name>
    <message>
        <source>&amp;Stop and quit</source>
        <translation>&amp;Stoppen und beenden</translation>
    </message>
    <message>
        <source>Keep &amp;training</source>
        <translation>&amp;Weiter trainieren</translation>
    </message>
    <message>
        <source>A run is under way</source>
        <translation>Ein Lauf trainiert</translation>
    </message>
    <message>
        <source>Stops at the next step and closes the window; one that has trained no step yet begins anew when it is resumed</source>
        <translation>Stoppt beim nächsten Schritt und schließt das Fenster; ein Lauf ohne einen Schritt beginnt beim Fortsetzen neu</translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation>Stoppen und beenden</translation>
    </message>
    <message>
        <source>Leaves the window open and the run as it is</source>
        <translation>Lässt das Fenster offen und den Lauf, wie er ist</translation>
    </message>
    <message>
        <source>Keep training</source>
        <translation>Weiter trainieren</translation>
    </message>
    <message>
        <source>“%1” is being trained. Stop it at the next step and quit? A run that has trained a step keeps a checkpoint and can be resumed.</source>
        <translation>„%1“ wird trainiert. Beim nächsten Schritt stoppen und beenden? Ein Lauf, der einen Schritt trainiert hat, behält einen Checkpoint und lässt sich fortsetzen.</translation>
    </message>
    <message>
        <source>Stopping at the next step…</source>
        <translation>Stoppt beim nächsten Schritt…</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ColumnBar</name>
    <message>
        <source>Current column</source>
        <translation>Aktuelle Spalte</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Duplicate the column</source>
        <translation>Spalte duplizieren</translation>
    </message>
    <message>
        <source>The same list beside it, to give it another context or model (Ctrl+D)</source>
        <translation>Dieselbe Liste daneben, für einen anderen Kontext oder ein anderes Modell (Strg+D)</translation>
    </message>
    <message>
        <source>Model of the column</source>
        <translation>Modell der Spalte</translation>
    </message>
    <message>
        <source>As the first column</source>
        <translation>Wie die erste Spalte</translation>
    </message>
    <message>
        <source>No more columns fit; remove one first</source>
        <translation>Mehr Spalten passen nicht; entfernen Sie zuerst eine</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ColumnsModel</name>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Separator</source>
        <translation>Trenner</translation>
    </message>
    <message>
        <source>Weights after</source>
        <translation>Gewichte nach</translation>
    </message>
    <message>
        <source>Empty cells</source>
        <translation>Leere Zellen</translation>
    </message>
    <message>
        <source>column</source>
        <translation>Spalte</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CommandBar</name>
    <message>
        <source>Copy the terminal command</source>
        <translation>Terminalbefehl kopieren</translation>
    </message>
    <message>
        <source>Terminal command that does the same</source>
        <translation>Terminalbefehl, der dasselbe tut</translation>
    </message>
    <message>
        <source>The terminal command for what this page shows</source>
        <translation>Der Terminalbefehl für das, was diese Seite zeigt</translation>
    </message>
    <message>
        <source>Copies the terminal command (Ctrl+Shift+K)</source>
        <translation>Kopiert den Terminalbefehl (Strg+Umschalt+K)</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CommandPalette</name>
    <message>
        <source>No command matches.</source>
        <translation>Kein Befehl passt.</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Befehle suchen</translation>
    </message>
    <message>
        <source>Search text</source>
        <translation>Text suchen</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ComparisonModel</name>
    <message>
        <source>No best run: %1</source>
        <translation>Kein bester Lauf: %1</translation>
    </message>
    <message>
        <source>Better than each of the other runs, beyond three paired standard errors over the same held-out queries or rows</source>
        <translation>Besser als jeder der anderen Läufe um mehr als drei gepaarte Standardfehler über dieselben zurückgehaltenen Anfragen oder Zeilen</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>%1 · run %2</source>
        <translation>%1 · Lauf %2</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ComparisonPanel</name>
    <message>
        <source>Settings that differ</source>
        <translation>Unterschiedliche Einstellungen</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Als CSV kopieren</translation>
    </message>
    <message>
        <source>What the lists have in common</source>
        <translation>Was die Listen gemeinsam haben</translation>
    </message>
    <message>
        <source>Copy the comparison</source>
        <translation>Vergleich kopieren</translation>
    </message>
    <message>
        <source>Copy settings, metrics and paired differences with exact values, as CSV</source>
        <translation>Kopiert Einstellungen, Metriken und gepaarte Differenzen mit genauen Werten als CSV</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>Held-out rows that the runs are compared on</source>
        <translation>Zurückgehaltene Zeilen, auf denen die Läufe verglichen werden</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>last</source>
        <translation>letzter</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bester</translation>
    </message>
    <message>
        <source>Weights that are compared: of the last checkpoint of each run, or of its best</source>
        <translation>Verglichene Gewichte: die des letzten Checkpoints jedes Laufs oder des besten</translation>
    </message>
    <message>
        <source>Metrics of the runs</source>
        <translation>Metriken der Läufe</translation>
    </message>
    <message>
        <source>Paired differences of the first two runs</source>
        <translation>Gepaarte Differenzen der ersten beiden Läufe</translation>
    </message>
    <message>
        <source>Paired differences</source>
        <translation>Gepaarte Differenzen</translation>
    </message>
    <message>
        <source>Choose two runs or more in the table to compare them.</source>
        <translation>Wählen Sie in der Tabelle zwei oder mehr Läufe, um sie zu vergleichen.</translation>
    </message>
    <message numerus="yes">
        <source>Comparing %n runs…</source>
        <translation>
            <numerusform>%n Lauf wird verglichen…</numerusform>
            <numerusform>%n Läufe werden verglichen…</numerusform>
        </translation>
    </message>
    <message>
        <source>The settings are the same</source>
        <translation>Die Einstellungen sind gleich</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ContextControl</name>
    <message>
        <source>As in the last row</source>
        <translation>Wie in der letzten Zeile</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %2 rows</source>
        <translation>
            <numerusform>%1 · %2 Zeile</numerusform>
            <numerusform>%1 · %2 Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>Context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>%1: the %2 most frequent of %3 values; others can be typed. ← and → in a list step it</source>
        <translation>%1: die %2 häufigsten von %3 Werten; andere lassen sich tippen. ← und → gehen in einer Liste durch die Werte</translation>
    </message>
    <message>
        <source>%1: %2 values, %3; a value can be typed, too. ← and → in a list step it</source>
        <translation>%1: %2 Werte, %3; ein Wert lässt sich auch tippen. ← und → gehen in einer Liste durch die Werte</translation>
    </message>
    <message>
        <source>in their order</source>
        <translation>in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>the most frequent first</source>
        <translation>die häufigsten zuerst</translation>
    </message>
    <message>
        <source>%1, %2 … %3; ← and → in a list step it</source>
        <translation>%1, %2 … %3; ← und → gehen in einer Liste durch die Werte</translation>
    </message>
    <message>
        <source>Value of context %1</source>
        <translation>Wert des Kontexts %1</translation>
    </message>
    <message>
        <source>%1 as a number, outside the range of the slider, too</source>
        <translation>%1 als Zahl, auch außerhalb des Bereichs des Reglers</translation>
    </message>
    <message>
        <source>Last row</source>
        <translation>Letzte Zeile</translation>
    </message>
    <message>
        <source>%1 as in the last row of the user</source>
        <translation>%1 wie in der letzten Zeile des Nutzers</translation>
    </message>
    <message>
        <source>As in the last row: %1</source>
        <translation>Wie in der letzten Zeile: %1</translation>
    </message>
    <message>
        <source>The value is that already</source>
        <translation>Dieser Wert ist schon gewählt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ContinueCard</name>
    <message>
        <source>No experiments yet. Drop data, or take a recipe.</source>
        <translation>Noch keine Experimente. Ziehen Sie Daten hierher oder nehmen Sie ein Rezept.</translation>
    </message>
    <message>
        <source>Experiments edited last; Return or a click opens one</source>
        <translation>Zuletzt bearbeitete Experimente; Eingabe oder ein Klick öffnet eines</translation>
    </message>
    <message>
        <source>Return or a click opens the experiment; F2 renames it</source>
        <translation>Eingabe oder ein Klick öffnet das Experiment; F2 benennt es um</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter arbeiten</translation>
    </message>
    <message>
        <source>Edited last</source>
        <translation>Zuletzt bearbeitet</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CoveragePanel</name>
    <message>
        <source>Sizes, OOV share and coverage are known after the import.</source>
        <translation>Größen, OOV-Anteil und Abdeckung sind nach dem Import bekannt.</translation>
    </message>
    <message>
        <source>Counting ids…</source>
        <translation>Ids werden gezählt…</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CoverageView</name>
    <message>
        <source>%1: %2 ids cover %3 % of the rows</source>
        <translation>%1: %2 Ids decken %3 % der Zeilen ab</translation>
    </message>
    <message>
        <source>%1, about %2 half of them</source>
        <translation>%1, etwa %2 die Hälfte davon</translation>
    </message>
    <message>
        <source>Rows that the most frequent ids cover</source>
        <translation>Zeilen, die von den häufigsten Ids abgedeckt werden</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message numerus="yes">
        <source>%n vocabularies</source>
        <translation>
            <numerusform>%n Vokabular</numerusform>
            <numerusform>%n Vokabulare</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::CurveControls</name>
    <message>
        <source>Lo&amp;g</source>
        <translation>Lo&amp;g</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Draws the losses or a metric of the validations</source>
        <translation>Zeichnet die Verluste oder eine Metrik der Validierungen</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagerechte Achse</translation>
    </message>
    <message>
        <source>Plots the curves over training steps, epochs or time</source>
        <translation>Zeichnet die Kurven über Trainingsschritten, Epochen oder Zeit</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis</source>
        <translation>Logarithmische senkrechte Achse</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis; values that are not above 0 are left out</source>
        <translation>Logarithmische senkrechte Achse; Werte, die nicht über 0 liegen, fehlen</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Weight of past steps in the step curve, 0 (off) to 0.99; the band keeps the extremes</source>
        <translation>Gewicht vergangener Schritte in der Schrittkurve, 0 (aus) bis 0.99; das Band behält die Extreme</translation>
    </message>
    <message>
        <source>&amp;Metric</source>
        <translation>&amp;Metrik</translation>
    </message>
    <message>
        <source>&amp;over</source>
        <translation>&amp;über</translation>
    </message>
    <message>
        <source>&amp;Smooth</source>
        <translation>&amp;Glätten</translation>
    </message>
    <message>
        <source>Zoom back</source>
        <translation>Ansicht zurück</translation>
    </message>
    <message>
        <source>Previous view (Alt+Left)</source>
        <translation>Vorige Ansicht (Alt+Links)</translation>
    </message>
    <message>
        <source>Zoom forward</source>
        <translation>Ansicht vor</translation>
    </message>
    <message>
        <source>Next view (Alt+Right)</source>
        <translation>Nächste Ansicht (Alt+Rechts)</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Show all of the curves (Home)</source>
        <translation>Die Kurven ganz zeigen (Pos1)</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Grafik</translation>
    </message>
    <message>
        <source>Charts beside this one</source>
        <translation>Diagramme neben diesem</translation>
    </message>
    <message>
        <source>Pins up to three more charts beside the chosen one; they zoom and point together</source>
        <translation>Heftet bis zu drei weitere Diagramme neben das gewählte; sie zoomen und zeigen gemeinsam</translation>
    </message>
    <message>
        <source>Metrics come with the first validation</source>
        <translation>Metriken kommen mit der ersten Validierung</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>Diagramm exportieren</translation>
    </message>
    <message>
        <source>Writes the picture (PNG, PDF, SVG) or all of its values (CSV, JSON)</source>
        <translation>Schreibt das Bild (PNG, PDF, SVG) oder alle Werte (CSV, JSON)</translation>
    </message>
    <message>
        <source>Picture as PNG…</source>
        <translation>Bild als PNG…</translation>
    </message>
    <message>
        <source>Picture as PDF…</source>
        <translation>Bild als PDF…</translation>
    </message>
    <message>
        <source>Picture as SVG…</source>
        <translation>Bild als SVG…</translation>
    </message>
    <message>
        <source>Values as CSV…</source>
        <translation>Werte als CSV…</translation>
    </message>
    <message>
        <source>Values as JSON…</source>
        <translation>Werte als JSON…</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>Werte kopieren</translation>
    </message>
    <message>
        <source>There is no view before this one; drag over the chart to zoom in</source>
        <translation>Es gibt keine frühere Ansicht; ziehen Sie über das Diagramm, um hineinzuzoomen</translation>
    </message>
    <message>
        <source>There is no view after this one</source>
        <translation>Es gibt keine spätere Ansicht</translation>
    </message>
    <message>
        <source>The whole course is shown</source>
        <translation>Der ganze Verlauf ist zu sehen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CurvePanel</name>
    <message>
        <source>Share of the rows of the steps that the devices had in their caches</source>
        <translation>Anteil der Zeilen der Schritte, den die Geräte in ihren Caches hatten</translation>
    </message>
    <message>
        <source>What a step asks of a device comes again in the next one, and is then launched as one</source>
        <translation>Was ein Schritt von einem Gerät verlangt, kommt im nächsten wieder und wird dann als eines gestartet</translation>
    </message>
    <message>
        <source>Epochs of the run</source>
        <translation>Epochen des Laufs</translation>
    </message>
    <message>
        <source>Every point of the chart</source>
        <translation>Jeder Punkt des Diagramms</translation>
    </message>
    <message>
        <source>Time of the devices in shares</source>
        <translation>Zeit der Geräte in Anteilen</translation>
    </message>
    <message>
        <source>View of the run</source>
        <translation>Ansicht des Laufs</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>All points</source>
        <translation>Alle Punkte</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>This batch</source>
        <translation>Dieser Stapel</translation>
    </message>
    <message>
        <source>What the last single step (F10) read and changed</source>
        <translation>Was der letzte Einzelschritt (F10) gelesen und geändert hat</translation>
    </message>
    <message>
        <source>Lists of the catalogue by segment</source>
        <translation>Listen des Katalogs nach Segment</translation>
    </message>
    <message>
        <source>Values of every epoch; Ctrl+C copies them</source>
        <translation>Werte jeder Epoche; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>What the chart draws, as a table; Ctrl+C copies it</source>
        <translation>Was das Diagramm zeichnet, als Tabelle; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>Where the time of each device goes; Ctrl+C copies it</source>
        <translation>Wohin die Zeit jedes Geräts geht; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>of the last moment</source>
        <translation>des letzten Augenblicks</translation>
    </message>
    <message>
        <source>of the whole run</source>
        <translation>des ganzen Laufs</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Lists of the catalogue by segment, with standard errors, after epoch %1; Ctrl+C copies them</source>
        <translation>Listen des Katalogs nach Segment, mit Standardfehlern, nach Epoche %1; Strg+C kopiert sie</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CurvePlot</name>
    <message>
        <source>Zoom back</source>
        <translation>Ansicht zurück</translation>
    </message>
    <message>
        <source>Zoom forward</source>
        <translation>Ansicht vor</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation>Daten kopieren</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Export plot</source>
        <translation>Diagramm exportieren</translation>
    </message>
    <message>
        <source>Picture (*.png *.pdf *.svg);;Data (*.csv *.json)</source>
        <translation>Bild (*.png *.pdf *.svg);;Daten (*.csv *.json)</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weitere</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>time [h:min:s]</source>
        <translation>Zeit [h:min:s]</translation>
    </message>
    <message>
        <source>time [s]</source>
        <translation>Zeit [s]</translation>
    </message>
    <message>
        <source>%1 is NaN or infinite</source>
        <translation>%1 ist NaN oder unendlich</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>no values yet</source>
        <translation>noch keine Werte</translation>
    </message>
    <message>
        <source>last %1, smallest %2, largest %3</source>
        <translation>zuletzt %1, kleinster %2, größter %3</translation>
    </message>
    <message>
        <source>; %1 at %2</source>
        <translation>; %1 bei %2</translation>
    </message>
    <message numerus="yes">
        <source>%n series</source>
        <translation>
            <numerusform>%n Reihe</numerusform>
            <numerusform>%n Reihen</numerusform>
        </translation>
    </message>
    <message>
        <source>Plot of %1 over %2</source>
        <translation>Diagramm: %1 über %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CurveTableModel</name>
    <message>
        <source>Series</source>
        <translation>Reihe</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>Erster Schritt</translation>
    </message>
    <message>
        <source>Last step</source>
        <translation>Letzter Schritt</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Time [s]</source>
        <translation>Zeit [s]</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Last value</source>
        <translation>Letzter Wert</translation>
    </message>
    <message>
        <source>NaN or infinite</source>
        <translation>NaN oder unendlich</translation>
    </message>
</context>
<context>
    <name>parapet::ui::CurveThumbnail</name>
    <message>
        <source>%1 of the newest run: %2</source>
        <translation>%1 des neuesten Laufs: %2</translation>
    </message>
    <message>
        <source>%1; %2: %3</source>
        <translation>%1; %2: %3</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>last %1, smallest %2, largest %3</source>
        <translation>zuletzt %1, kleinster %2, größter %3</translation>
    </message>
    <message numerus="yes">
        <source>%n epochs</source>
        <translation>
            <numerusform>%n Epoche</numerusform>
            <numerusform>%n Epochen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::DataCard</name>
    <message>
        <source>Drop a data file, a folder such as ml-100k of MovieLens, or an experiment (.json) anywhere on the window</source>
        <translation>Ziehen Sie eine Datendatei, einen Ordner wie ml-100k von MovieLens oder ein Experiment (.json) irgendwo auf das Fenster</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>A table (CSV, TSV, JSON lines, Parquet), a zip of MovieLens, or an experiment</source>
        <translation>Eine Tabelle (CSV, TSV, JSON-Zeilen, Parquet), ein Zip von MovieLens oder ein Experiment</translation>
    </message>
    <message>
        <source>Data and experiments (*.csv *.tsv *.txt *.jsonl *.ndjson *.gz *.zst *.parquet *.zip *.data *.dat *.json);;All files (*)</source>
        <translation>Daten und Experimente (*.csv *.tsv *.txt *.jsonl *.ndjson *.gz *.zst *.parquet *.zip *.data *.dat *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a folder…</source>
        <translation>Ordner öffnen…</translation>
    </message>
    <message>
        <source>A folder with MovieLens, or with files of one table</source>
        <translation>Ein Ordner mit MovieLens oder mit Dateien einer Tabelle</translation>
    </message>
    <message>
        <source>Used in this workspace</source>
        <translation>In diesem Arbeitsbereich benutzt</translation>
    </message>
    <message>
        <source>Download…</source>
        <translation>Herunterladen…</translation>
    </message>
    <message>
        <source>Download a data set</source>
        <translation>Datensatz herunterladen</translation>
    </message>
    <message>
        <source>Downloads MovieLens, Yambda, or any file on the web</source>
        <translation>Lädt MovieLens, Yambda oder eine beliebige Datei aus dem Web</translation>
    </message>
    <message>
        <source>Data used in this workspace; Return or a click makes an experiment</source>
        <translation>Daten, die in diesem Arbeitsbereich benutzt werden; Eingabe oder ein Klick macht ein Experiment daraus</translation>
    </message>
    <message>
        <source>Your data</source>
        <translation>Ihre Daten</translation>
    </message>
    <message>
        <source>A new experiment with %1</source>
        <translation>Neues Experiment mit %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DataPage</name>
    <message>
        <source>Steps from a file to imported data</source>
        <translation>Schritte von einer Datei zu importierten Daten</translation>
    </message>
    <message>
        <source>Shows a step; ↑ and ↓ lead through them</source>
        <translation>Zeigt einen Schritt; ↑ und ↓ führen hindurch</translation>
    </message>
    <message>
        <source>a run was started</source>
        <translation>ein Lauf wurde gestartet</translation>
    </message>
    <message>
        <source>%1 was not opened: another experiment was</source>
        <translation>%1 wurde nicht geöffnet: ein anderes Experiment wurde geöffnet</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Interactions (a text file, Parquet, MovieLens, or generated data), or a corpus of texts.</source>
        <translation>Interaktionen (eine Textdatei, Parquet, MovieLens oder erzeugte Daten) oder ein Korpus von Texten.</translation>
    </message>
    <message>
        <source>Drop a file (.csv, .tsv, .jsonl, .gz, .zst, .zip, .parquet) or a folder on this page</source>
        <translation>Ziehen Sie eine Datei (.csv, .tsv, .jsonl, .gz, .zst, .zip, .parquet) oder einen Ordner auf diese Seite</translation>
    </message>
    <message>
        <source>Choose a data file</source>
        <translation>Datendatei wählen</translation>
    </message>
    <message>
        <source>Opens a text file, compressed or not, or a Parquet file</source>
        <translation>Öffnet eine Textdatei, auch komprimiert, oder eine Parquet-Datei</translation>
    </message>
    <message>
        <source>Data (*.csv *.tsv *.txt *.dat *.data *.jsonl *.ndjson *.json *.gz *.zst *.zip *.parquet);;All files (*)</source>
        <translation>Daten (*.csv *.tsv *.txt *.dat *.data *.jsonl *.ndjson *.json *.gz *.zst *.zip *.parquet);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a data folder</source>
        <translation>Datenordner wählen</translation>
    </message>
    <message>
        <source>Opens a MovieLens folder or a folder of Parquet files</source>
        <translation>Öffnet einen MovieLens-Ordner oder einen Ordner mit Parquet-Dateien</translation>
    </message>
    <message>
        <source>Download…</source>
        <translation>Herunterladen…</translation>
    </message>
    <message>
        <source>Download a data set</source>
        <translation>Datensatz herunterladen</translation>
    </message>
    <message>
        <source>Downloads MovieLens, Yambda, or any file on the web</source>
        <translation>Lädt MovieLens, Yambda oder eine beliebige Datei aus dem Web</translation>
    </message>
    <message>
        <source>Set the text format</source>
        <translation>Textformat setzen</translation>
    </message>
    <message>
        <source>Sets delimiter, quote, header and names; they are detected otherwise</source>
        <translation>Setzt Trennzeichen, Anführungszeichen, Kopfzeile und Namen; sonst werden sie erkannt</translation>
    </message>
    <message>
        <source>Change the text format</source>
        <translation>Textformat ändern</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>The first rows as the source has them.</source>
        <translation>Die ersten Zeilen, wie die Quelle sie hat.</translation>
    </message>
    <message>
        <source>Titles and vectors</source>
        <translation>Titel und Vektoren</translation>
    </message>
    <message>
        <source>Files beside the data that tell of their users and items, joined by the raw id.</source>
        <translation>Dateien neben den Daten, die Nutzer und Artikel beschreiben, verbunden über die rohe Id.</translation>
    </message>
    <message>
        <source>Columns and label</source>
        <translation>Spalten und Label</translation>
    </message>
    <message>
        <source>Columns that the data set keeps. Roles can be chosen above the preview as well.</source>
        <translation>Spalten, die der Datensatz behält. Rollen lassen sich auch über der Vorschau wählen.</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>The columns user, item and time of the source. Choose roles above the preview, or add columns here.</source>
        <translation>Die Spalten user, item und time der Quelle. Wählen Sie Rollen über der Vorschau, oder fügen Sie hier Spalten hinzu.</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Rows to keep, and columns derived from others.</source>
        <translation>Zeilen, die bleiben, und Spalten, die aus anderen abgeleitet sind.</translation>
    </message>
    <message>
        <source>Derived columns</source>
        <translation>Abgeleitete Spalten</translation>
    </message>
    <message>
        <source>None. Add one for the hour, the weekday or buckets of a number.</source>
        <translation>Keine. Fügen Sie eine für Stunde, Wochentag oder Klassen einer Zahl hinzu.</translation>
    </message>
    <message>
        <source>Vocabularies</source>
        <translation>Vokabulare</translation>
    </message>
    <message>
        <source>How raw ids map to rows of embedding tables; row 0 is OOV.</source>
        <translation>Wie rohe Ids auf Zeilen der Einbettungstabellen abgebildet werden; Zeile 0 ist OOV.</translation>
    </message>
    <message>
        <source>No vocabulary: raw ids have no rows. Add one for the columns user and item.</source>
        <translation>Kein Vokabular: Rohe Ids haben keine Zeilen. Fügen Sie eines für die Spalten user und item hinzu.</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>Rows for training, validation and test.</source>
        <translation>Zeilen für Training, Validierung und Test.</translation>
    </message>
    <message>
        <source>Rejected lines</source>
        <translation>Abgewiesene Zeilen</translation>
    </message>
    <message>
        <source>Lines that the last import could not read, with the reason. More of them than the accepted share end the import.</source>
        <translation>Zeilen, die der letzte Import nicht lesen konnte, mit dem Grund. Mehr davon als der zulässige Anteil beenden den Import.</translation>
    </message>
    <message>
        <source>None is known. An import checks every line.</source>
        <translation>Keine ist bekannt. Ein Import prüft jede Zeile.</translation>
    </message>
    <message>
        <source>No line was rejected.</source>
        <translation>Keine Zeile wurde abgewiesen.</translation>
    </message>
    <message>
        <source>Tokens and masks</source>
        <translation>Token und Masken</translation>
    </message>
    <message>
        <source>The first training lines as the model reads them, with what it is to predict.</source>
        <translation>Die ersten Trainingszeilen, wie das Modell sie liest, mit dem, was es vorhersagen soll.</translation>
    </message>
    <message>
        <source>Choose a data file…</source>
        <translation>Datendatei wählen…</translation>
    </message>
    <message>
        <source>Choose a data folder…</source>
        <translation>Datenordner wählen…</translation>
    </message>
    <message>
        <source>Download a data set…</source>
        <translation>Datensatz herunterladen…</translation>
    </message>
    <message>
        <source>Read the source again</source>
        <translation>Quelle neu lesen</translation>
    </message>
    <message>
        <source>Propose an experiment for the data</source>
        <translation>Experiment für die Daten vorschlagen</translation>
    </message>
    <message>
        <source>Import the data</source>
        <translation>Daten importieren</translation>
    </message>
    <message>
        <source>Training a vocabulary on the texts …</source>
        <translation>Ein Vokabular wird auf den Texten trainiert …</translation>
    </message>
    <message>
        <source>Changed for these data: %1.</source>
        <translation>Geändert für diese Daten: %1.</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DerivedModel</name>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Bounds</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>UTC offset [min]</source>
        <translation>UTC-Abstand [min]</translation>
    </message>
    <message>
        <source>derived column</source>
        <translation>abgeleitete Spalte</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DeviceDetails</name>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>Fälle</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Largest error [2⁻²⁴]</source>
        <translation>Größter Fehler [2⁻²⁴]</translation>
    </message>
    <message>
        <source>Where the device comes from</source>
        <translation>Woher das Gerät kommt</translation>
    </message>
    <message>
        <source>Operations of the device</source>
        <translation>Operationen des Geräts</translation>
    </message>
    <message>
        <source>Not tested yet. The self-test compares every operation with a plain double-precision reference and measures the speed.</source>
        <translation>Noch nicht getestet. Der Selbsttest vergleicht jede Operation mit einer einfachen Referenz in doppelter Genauigkeit und misst die Geschwindigkeit.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DeviceModel</name>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>Befehlssatz</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Ready to train</source>
        <translation>Bereit zum Training</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>Selbsttest</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Error [2⁻²⁴]</source>
        <translation>Fehler [2⁻²⁴]</translation>
    </message>
    <message>
        <source>Largest error of any operation against its double-precision reference, in units of rounding (2⁻²⁴ of the terms)</source>
        <translation>Größter Fehler einer Operation gegen ihre Referenz in doppelter Genauigkeit, in Rundungseinheiten (2⁻²⁴ der Terme)</translation>
    </message>
    <message>
        <source>Gather [GB/s]</source>
        <translation>Gather [GB/s]</translation>
    </message>
    <message>
        <source>Rows of 64 elements gathered at random from 128 MiB and written in order</source>
        <translation>Zeilen mit 64 Elementen, zufällig aus 128 MiB gesammelt und der Reihe nach geschrieben</translation>
    </message>
    <message>
        <source>Copy [GB/s]</source>
        <translation>Kopie [GB/s]</translation>
    </message>
    <message>
        <source>64 MiB read and written in order</source>
        <translation>64 MiB, der Reihe nach gelesen und geschrieben</translation>
    </message>
    <message>
        <source>GEMM [GFLOP/s]</source>
        <translation>GEMM [GFLOP/s]</translation>
    </message>
    <message>
        <source>Matrix products of 512 × 512</source>
        <translation>Matrixprodukte von 512 × 512</translation>
    </message>
    <message>
        <source>not tested</source>
        <translation>nicht getestet</translation>
    </message>
    <message>
        <source>%1 passed</source>
        <translation>%1 bestanden</translation>
    </message>
    <message>
        <source>%1 of %2 failed</source>
        <translation>%1 von %2 fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DevicePanel</name>
    <message>
        <source>Shape of the mesh</source>
        <translation>Form des Mesh</translation>
    </message>
    <message>
        <source>Arrangement of the devices. Examples are split over all of them; a table can be split over one axis and replicated over the other.</source>
        <translation>Anordnung der Geräte. Beispiele werden auf alle verteilt; eine Tabelle kann über eine Achse verteilt und über die andere repliziert werden.</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Use the device %1</source>
        <translation>Gerät %1 benutzen</translation>
    </message>
    <message>
        <source>Trains on %1.</source>
        <translation>Trainiert auf %1.</translation>
    </message>
    <message>
        <source>The mesh names %1, which this machine does not have.</source>
        <translation>Das Mesh nennt %1; dieser Rechner hat das Gerät nicht.</translation>
    </message>
    <message>
        <source>Logical devices of %1</source>
        <translation>Logische Geräte von %1</translation>
    </message>
    <message>
        <source>Splits %1 into this many logical devices, each with a part of every batch. Accepted: 1 … %2. The result is the same within rounding.</source>
        <translation>Teilt %1 in so viele logische Geräte, jedes mit einem Teil jedes Stapels. Zulässig: 1 … %2. Das Ergebnis ist bis auf Rundung gleich.</translation>
    </message>
    <message>
        <source>split into </source>
        <translation>geteilt in </translation>
    </message>
</context>
<context>
    <name>parapet::ui::DevicesPage</name>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Case</source>
        <translation>Fall</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Zulässig</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Cases that did not pass</source>
        <translation>Fälle, die nicht bestanden</translation>
    </message>
    <message>
        <source>Test the devices</source>
        <translation>Geräte testen</translation>
    </message>
    <message>
        <source>Compares every operation of every usable device with its reference and measures its speed; takes some seconds</source>
        <translation>Vergleicht jede Operation jedes nutzbaren Geräts mit ihrer Referenz und misst die Geschwindigkeit; dauert einige Sekunden</translation>
    </message>
    <message>
        <source>Stop the self-test</source>
        <translation>Selbsttest stoppen</translation>
    </message>
    <message>
        <source>Stops the self-test; results so far are kept</source>
        <translation>Stoppt den Selbsttest; bisherige Ergebnisse bleiben</translation>
    </message>
    <message>
        <source>Measure this machine</source>
        <translation>Diesen Rechner messen</translation>
    </message>
    <message>
        <source>Measures memory and arithmetic of this machine anew, in about a second; plans and placements rest on it</source>
        <translation>Misst Speicher und Rechenleistung dieses Rechners neu, in etwa einer Sekunde; Pläne und Platzierungen beruhen darauf</translation>
    </message>
    <message>
        <source>Look for devices again</source>
        <translation>Geräte neu suchen</translation>
    </message>
    <message>
        <source>Shows the devices that the program found at its start</source>
        <translation>Zeigt die Geräte, die das Programm beim Start gefunden hat</translation>
    </message>
    <message>
        <source>Try disabled plugins again</source>
        <translation>Abgeschaltete Plugins erneut versuchen</translation>
    </message>
    <message>
        <source>Tries disabled plugins again at the next start of the program</source>
        <translation>Versucht abgeschaltete Plugins beim nächsten Start des Programms erneut</translation>
    </message>
    <message>
        <source>Copy the devices</source>
        <translation>Geräte kopieren</translation>
    </message>
    <message>
        <source>Copies the table as CSV</source>
        <translation>Kopiert die Tabelle als CSV</translation>
    </message>
    <message>
        <source>Export the devices as CSV…</source>
        <translation>Geräte als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export the devices as JSON…</source>
        <translation>Geräte als JSON exportieren…</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>Selbsttest</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Auffrischen</translation>
    </message>
    <message>
        <source>Export the devices</source>
        <translation>Geräte exportieren</translation>
    </message>
    <message>
        <source>Copy or save the table of devices</source>
        <translation>Kopiert oder speichert die Tabelle der Geräte</translation>
    </message>
    <message>
        <source>Devices and plugins</source>
        <translation>Geräte und Plugins</translation>
    </message>
    <message>
        <source>Progress of the self-test</source>
        <translation>Fortschritt des Selbsttests</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>It is looking for devices</source>
        <translation>Es sucht nach Geräten</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Sucht…</translation>
    </message>
    <message>
        <source>No device can train here</source>
        <translation>Kein Gerät kann hier trainieren</translation>
    </message>
    <message>
        <source>%1 of %2 can train. Name one in the mesh of an experiment, as cpu:0 or cpu*4.</source>
        <translation>%1 von %2 können trainieren. Nennen Sie eines im Mesh eines Experiments, etwa cpu:0 oder cpu*4.</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>1 Gerät</translation>
    </message>
    <message numerus="yes">
        <source>%n devices and plugins</source>
        <translation>
            <numerusform>%n Gerät oder Plugin</numerusform>
            <numerusform>%n Geräten und Plugins</numerusform>
        </translation>
    </message>
    <message>
        <source>The next start of Parapet tries them again</source>
        <translation>Der nächste Start von Parapet versucht sie erneut</translation>
    </message>
    <message>
        <source>They are no longer disabled; start Parapet again</source>
        <translation>Sie sind nicht mehr abgeschaltet; starten Sie Parapet neu</translation>
    </message>
    <message>
        <source>It is being measured</source>
        <translation>Die Messung läuft</translation>
    </message>
    <message>
        <source>This machine was measured; plans rest on its profile</source>
        <translation>Dieser Rechner wurde gemessen; Pläne beruhen auf dem Profil</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>Exportiert nach %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DocumentDialog</name>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Shows the chosen document</source>
        <translation>Zeigt das gewählte Dokument</translation>
    </message>
    <message>
        <source>Text of the document</source>
        <translation>Text des Dokuments</translation>
    </message>
    <message>
        <source>The window</source>
        <translation>Das Fenster</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Contexts</source>
        <translation>Kontexte</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>Experimente</translation>
    </message>
    <message>
        <source>Keys of a document</source>
        <translation>Schlüssel eines Dokuments</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>Bereitstellung</translation>
    </message>
    <message>
        <source>Fidelity</source>
        <translation>Treue</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>Benchmarks</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DocumentRowsModel</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Change %1 of a %2</source>
        <translation>%2: %1 ändern</translation>
    </message>
    <message>
        <source>Add a %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>Duplicate a %1</source>
        <translation>%1 duplizieren</translation>
    </message>
    <message>
        <source>Remove a %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Move a %1</source>
        <translation>%1 verschieben</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DocumentTable</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a row at the end</source>
        <translation>Fügt am Ende eine Zeile hinzu</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Copy the selected row (Ctrl+D)</source>
        <translation>Kopiert die gewählte Zeile (Strg+D)</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the selected row (Del)</source>
        <translation>Entfernt die gewählte Zeile (Entf)</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Move the selected row up (Alt+↑)</source>
        <translation>Schiebt die gewählte Zeile hoch (Alt+↑)</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Runter</translation>
    </message>
    <message>
        <source>Move the selected row down (Alt+↓)</source>
        <translation>Schiebt die gewählte Zeile runter (Alt+↓)</translation>
    </message>
    <message>
        <source>There is no row yet</source>
        <translation>Es gibt noch keine Zeile</translation>
    </message>
    <message>
        <source>Select a row first</source>
        <translation>Wählen Sie zuerst eine Zeile</translation>
    </message>
    <message>
        <source>This row is the first</source>
        <translation>Diese Zeile ist die erste</translation>
    </message>
    <message>
        <source>This row is the last</source>
        <translation>Diese Zeile ist die letzte</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DownloadDialog</name>
    <message>
        <source>I &amp;accept these conditions</source>
        <translation>Ich nehme diese &amp;Bedingungen an</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Download a data set</source>
        <translation>Datensatz herunterladen</translation>
    </message>
    <message>
        <source>Where the file goes</source>
        <translation>Wohin die Datei kommt</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Fortschritt des Downloads</translation>
    </message>
    <message>
        <source>State of the download</source>
        <translation>Stand des Downloads</translation>
    </message>
    <message>
        <source>Another address</source>
        <translation>Andere Adresse</translation>
    </message>
    <message>
        <source>Data sets</source>
        <translation>Datensätze</translation>
    </message>
    <message>
        <source>Public data sets that Parapet can read, and any file on the web</source>
        <translation>Öffentliche Datensätze, die Parapet lesen kann, und jede Datei aus dem Web</translation>
    </message>
    <message>
        <source>Size, checksum and address</source>
        <translation>Größe, Prüfsumme und Adresse</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>I accept these conditions</source>
        <translation>Ich nehme diese Bedingungen an</translation>
    </message>
    <message>
        <source>Nothing is downloaded before you accept the licence of the data set</source>
        <translation>Nichts wird heruntergeladen, bevor Sie die Lizenz des Datensatzes annehmen</translation>
    </message>
    <message>
        <source>Address of the file</source>
        <translation>Adresse der Datei</translation>
    </message>
    <message>
        <source>Begins with https:// or http://</source>
        <translation>Beginnt mit https:// oder http://</translation>
    </message>
    <message>
        <source>Checksum of the file</source>
        <translation>Prüfsumme der Datei</translation>
    </message>
    <message>
        <source>As published beside the file; may be empty. A file that does not match it is removed.</source>
        <translation>Wie neben der Datei veröffentlicht; darf leer sein. Eine Datei, die nicht dazu passt, wird gelöscht.</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>A&amp;dresse</translation>
    </message>
    <message>
        <source>Check&amp;sum</source>
        <translation>&amp;Prüfsumme</translation>
    </message>
    <message>
        <source>Stops the download; the part that has arrived is kept and can be resumed</source>
        <translation>Stoppt den Download; der empfangene Teil bleibt und lässt sich fortsetzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stops a download under way and closes; the part that has arrived is kept</source>
        <translation>Stoppt einen laufenden Download und schließt; der empfangene Teil bleibt</translation>
    </message>
    <message>
        <source>The address names no file</source>
        <translation>Die Adresse nennt keine Datei</translation>
    </message>
    <message>
        <source>%1 · %2
%3</source>
        <translation>%1 · %2
%3</translation>
    </message>
    <message>
        <source>size not known</source>
        <translation>Größe unbekannt</translation>
    </message>
    <message>
        <source>no checksum published here</source>
        <translation>keine Prüfsumme hier veröffentlicht</translation>
    </message>
    <message>
        <source>Full text of the licence</source>
        <translation>Voller Text der Lizenz</translation>
    </message>
    <message>
        <source>A file on the web. Check yourself whether you may use it.</source>
        <translation>Eine Datei aus dem Web. Prüfen Sie selbst, ob Sie sie benutzen dürfen.</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Download</source>
        <translation>&amp;Herunterladen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Continues where the last download ended</source>
        <translation>Fährt fort, wo der letzte Download endete</translation>
    </message>
    <message>
        <source>Fetches the file and checks it</source>
        <translation>Holt die Datei und prüft sie</translation>
    </message>
    <message>
        <source>Goes to %1</source>
        <translation>Kommt nach %1</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Verbindung wird aufgebaut…</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>, %1/s</source>
        <translation>, %1/s</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, noch %1</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
    <message>
        <source>verified</source>
        <translation>geprüft</translation>
    </message>
    <message>
        <source>no checksum to check it against</source>
        <translation>keine Prüfsumme zum Vergleich</translation>
    </message>
</context>
<context>
    <name>parapet::ui::DropArea</name>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
</context>
<context>
    <name>parapet::ui::EpochsModel</name>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>as displayed</source>
        <translation>wie angezeigt</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>ms/step</source>
        <translation>ms/Schritt</translation>
    </message>
    <message>
        <source>examples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
</context>
<context>
    <name>parapet::ui::EstimatePanel</name>
    <message>
        <source>A step, estimated and measured</source>
        <translation>Ein Schritt, geschätzt und gemessen</translation>
    </message>
    <message>
        <source>Source of the measurement</source>
        <translation>Quelle der Messung</translation>
    </message>
    <message>
        <source>Compute, exchange, update and waiting of the device where each is longest</source>
        <translation>Rechnen, Austausch, Aktualisierung und Warten des Geräts, bei dem es jeweils am längsten dauert</translation>
    </message>
    <message>
        <source>Before and after the run</source>
        <translation>Vor und nach dem Lauf</translation>
    </message>
    <message>
        <source>Measured in epoch %1 of run %2.</source>
        <translation>Gemessen in Epoche %1 von Lauf %2.</translation>
    </message>
    <message>
        <source>No measurement: no run trained this experiment on this mesh with these placements.</source>
        <translation>Keine Messung: Kein Lauf hat dieses Experiment auf diesem Mesh mit diesen Platzierungen trainiert.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExperimentEditor</name>
    <message>
        <source>Keep the name</source>
        <translation>Namen behalten</translation>
    </message>
    <message>
        <source>Rename the experiment</source>
        <translation>Experiment umbenennen</translation>
    </message>
    <message>
        <source>Edit the text</source>
        <translation>Text bearbeiten</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExperimentPage</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Undo %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>There is no edit to take back</source>
        <translation>Es gibt keine Änderung zurückzunehmen</translation>
    </message>
    <message>
        <source>Redo %1</source>
        <translation>Wiederholen: %1</translation>
    </message>
    <message>
        <source>No edit was taken back</source>
        <translation>Keine Änderung wurde zurückgenommen</translation>
    </message>
    <message>
        <source>Open an experiment…</source>
        <translation>Experiment öffnen…</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Save the experiment as…</source>
        <translation>Experiment speichern unter…</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter…</translation>
    </message>
    <message>
        <source>Show the JSON</source>
        <translation>JSON zeigen</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Shows the document of the experiment beside the step (F4)</source>
        <translation>Zeigt das Dokument des Experiments neben dem Schritt (F4)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Open an experiment</source>
        <translation>Experiment öffnen</translation>
    </message>
    <message>
        <source>Experiments (*.json);;All files (*)</source>
        <translation>Experimente (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save the experiment as</source>
        <translation>Experiment speichern unter</translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation>Experimente (*.json)</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 wurde nicht geschrieben: %2</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExperimentPicker</name>
    <message>
        <source>List the e&amp;xperiments</source>
        <translation>E&amp;xperimente auflisten</translation>
    </message>
    <message>
        <source>&amp;Open a file…</source>
        <translation>Datei ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Save as a file…</source>
        <translation>Als Datei &amp;speichern…</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Makes an experiment from a document in a file (Ctrl+O)</source>
        <translation>Macht ein Experiment aus einem Dokument in einer Datei (Strg+O)</translation>
    </message>
    <message>
        <source>Writes the document into a file; the experiment itself is always saved (Ctrl+S)</source>
        <translation>Schreibt das Dokument in eine Datei; das Experiment selbst ist immer gespeichert (Strg+S)</translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>Neues Experiment</translation>
    </message>
    <message>
        <source>Needs data: %1</source>
        <translation>Braucht Daten: %1</translation>
    </message>
    <message>
        <source>no name</source>
        <translation>kein Name</translation>
    </message>
    <message>
        <source>Not an experiment of the workspace</source>
        <translation>Kein Experiment des Arbeitsbereichs</translation>
    </message>
    <message>
        <source>Every edit is saved; in commands %1</source>
        <translation>Jede Änderung wird gespeichert; in Befehlen %1</translation>
    </message>
    <message>
        <source>%1%2
A click lists the experiments and recipes (Ctrl+E)</source>
        <translation>%1%2
Ein Klick listet Experimente und Rezepte auf (Strg+E)</translation>
    </message>
    <message>
        <source>; made from %1</source>
        <translation>; entstanden aus %1</translation>
    </message>
    <message>
        <source>Open an experiment</source>
        <translation>Experiment öffnen</translation>
    </message>
    <message>
        <source>Experiments (*.json);;All files (*)</source>
        <translation>Experimente (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save the experiment</source>
        <translation>Experiment speichern</translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation>Experimente (*.json)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExperimentPickerPopup</name>
    <message>
        <source>Experiments</source>
        <translation>Experimente</translation>
    </message>
    <message>
        <source>Search experiments and recipes</source>
        <translation>Experimente und Rezepte suchen</translation>
    </message>
    <message>
        <source>Shows those whose name, origin or title holds every word</source>
        <translation>Zeigt die, deren Name, Herkunft oder Titel jedes Wort enthält</translation>
    </message>
    <message>
        <source>Experiments and recipes; Return opens, F2 renames, Delete removes</source>
        <translation>Experimente und Rezepte; Eingabe öffnet, F2 benennt um, Entf entfernt</translation>
    </message>
    <message>
        <source>Why the name was not taken</source>
        <translation>Warum der Name nicht ging</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Gives the chosen experiment another name (F2)</source>
        <translation>Gibt dem gewählten Experiment einen anderen Namen (F2)</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Makes a copy under the next free name and opens it (Ctrl+D)</source>
        <translation>Macht eine Kopie mit dem nächsten freien Namen und öffnet sie (Strg+D)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Moves the chosen experiment to the trash; its runs stay (Delete)</source>
        <translation>Verschiebt das gewählte Experiment in den Papierkorb; seine Läufe bleiben (Entf)</translation>
    </message>
    <message>
        <source>Choose an experiment; recipes stay as they are</source>
        <translation>Wählen Sie ein Experiment; Rezepte bleiben, wie sie sind</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExperimentsModel</name>
    <message>
        <source>no runs</source>
        <translation>keine Läufe</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 Lauf</translation>
    </message>
    <message numerus="yes">
        <source>%1 runs</source>
        <translation>
            <numerusform>%1 Lauf</numerusform>
            <numerusform>%1 Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 (open)</source>
        <translation>%1 (offen)</translation>
    </message>
    <message>
        <source>%1 in commands. Edited %2, %3%4. F2 renames it.</source>
        <translation>In Befehlen %1. Bearbeitet %2, %3%4. F2 benennt es um.</translation>
    </message>
    <message>
        <source>, made from %1</source>
        <translation>, entstanden aus %1</translation>
    </message>
    <message>
        <source>New from %1</source>
        <translation>Neu aus %1</translation>
    </message>
    <message>
        <source>Makes a new experiment. %1.</source>
        <translation>Macht ein neues Experiment. %1.</translation>
    </message>
    <message>
        <source>New from recipe %1 %2</source>
        <translation>Neu aus Rezept %1 %2</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>Bearbeitet</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExplanationModel</name>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Term</source>
        <translation>Term</translation>
    </message>
    <message>
        <source>Sum so far</source>
        <translation>Summe bis hier</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ExportDialog</name>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Items per user</source>
        <translation>Artikel je Nutzer</translation>
    </message>
    <message>
        <source>Items seen</source>
        <translation>Gesehene Artikel</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>%1 exportieren</translation>
    </message>
    <message>
        <source>What is exported</source>
        <translation>Was exportiert wird</translation>
    </message>
    <message>
        <source>Embedding tables</source>
        <translation>Einbettungstabellen</translation>
    </message>
    <message>
        <source>Model, to be asked without this workspace</source>
        <translation>Modell, ohne diesen Arbeitsbereich zu befragen</translation>
    </message>
    <message>
        <source>Vectors of users and items</source>
        <translation>Vektoren der Nutzer und Artikel</translation>
    </message>
    <message>
        <source>Whole checkpoint</source>
        <translation>Ganzer Checkpoint</translation>
    </message>
    <message>
        <source>Curves, one line an epoch</source>
        <translation>Kurven, eine Zeile je Epoche</translation>
    </message>
    <message>
        <source>Recommendations of every user</source>
        <translation>Empfehlungen für jeden Nutzer</translation>
    </message>
    <message>
        <source>Tables are the trained weights; vectors are what the towers make of users and items; a checkpoint holds the optimizer as well; a model is a folder that this program opens, and that `recommend --model` answers from</source>
        <translation>Tabellen sind die trainierten Gewichte; Vektoren sind, was die Türme aus Nutzern und Artikeln machen; ein Checkpoint enthält auch den Optimierer; ein Modell ist ein Ordner, den dieses Programm öffnet und aus dem `recommend --model` antwortet</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>safetensors is one file; npy, and tables and vectors as parquet or csv, are one file per matrix in a folder</source>
        <translation>safetensors ist eine Datei; npy sowie Tabellen und Vektoren als parquet oder csv sind je Matrix eine Datei in einem Ordner</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>The newest checkpoint, or the one with the best metric</source>
        <translation>Der neueste Checkpoint oder der mit der besten Metrik</translation>
    </message>
    <message>
        <source>the newest checkpoint</source>
        <translation>der neueste Checkpoint</translation>
    </message>
    <message>
        <source>the best checkpoint</source>
        <translation>der beste Checkpoint</translation>
    </message>
    <message>
        <source>Length of each list, 1 to 1000; not more than there are candidates</source>
        <translation>Länge jeder Liste, 1 bis 1000; nicht mehr, als es Kandidaten gibt</translation>
    </message>
    <message>
        <source>Items the user has seen</source>
        <translation>Artikel, die der Nutzer gesehen hat</translation>
    </message>
    <message>
        <source>Whether items of the training rows of a user may be recommended</source>
        <translation>Ob Artikel der Trainingszeilen eines Nutzers empfohlen werden dürfen</translation>
    </message>
    <message>
        <source>leave out</source>
        <translation>weglassen</translation>
    </message>
    <message>
        <source>keep</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>&amp;What</source>
        <translation>&amp;Was</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>as in each user&apos;s last row</source>
        <translation>wie in der letzten Zeile jedes Nutzers</translation>
    </message>
    <message>
        <source>Values of %1, separated by commas: a list of each user for every one of them, and for every combination with values of other contexts</source>
        <translation>Werte von %1, durch Kommas getrennt: eine Liste jedes Nutzers für jeden davon und für jede Kombination mit Werten anderer Kontexte</translation>
    </message>
    <message>
        <source>Name a new folder, or a model to replace</source>
        <translation>Nennen Sie einen neuen Ordner oder ein Modell, das ersetzt wird</translation>
    </message>
    <message>
        <source>Folder for the tensors</source>
        <translation>Ordner für die Tensoren</translation>
    </message>
    <message>
        <source>&amp;Licence</source>
        <translation>&amp;Lizenz</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Licence of the model</source>
        <translation>Lizenz des Modells</translation>
    </message>
    <message>
        <source>none named; CC-BY-4.0, or a sentence</source>
        <translation>keine genannt; CC-BY-4.0 oder ein Satz</translation>
    </message>
    <message>
        <source>What the manifest of the model folder names as its licence</source>
        <translation>Die Lizenz, die das Manifest des Modellordners nennt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FeatureSharesModel</name>
    <message>
        <source>Feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Feature of the query</source>
        <translation>Merkmal der Anfrage</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>In this query</source>
        <translation>In dieser Anfrage</translation>
    </message>
    <message>
        <source>Without it</source>
        <translation>Ohne es</translation>
    </message>
    <message>
        <source>Score with the feature taken out: its embedding is a zero vector, its number the mean of the training rows</source>
        <translation>Score ohne das Merkmal: sein Embedding ist ein Nullvektor, seine Zahl der Mittelwert der Trainingszeilen</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Score minus the score without the feature</source>
        <translation>Score minus der Score ohne das Merkmal</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FeaturesModel</name>
    <message>
        <source>Share a table</source>
        <translation>Tabelle teilen</translation>
    </message>
    <message>
        <source>[%1, ≤ %2, %3]</source>
        <translation>[%1, ≤ %2, %3]</translation>
    </message>
    <message>
        <source>Feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Tower</source>
        <translation>Turm</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>Max. length</source>
        <translation>Max. Länge</translation>
    </message>
    <message>
        <source>Truncation side</source>
        <translation>Gekürzte Seite</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>Sequenz</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>Transformation</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Ids</source>
        <translation>Ids</translation>
    </message>
    <message>
        <source>Ids looked up in the run that is under way.</source>
        <translation>Ids, die der laufende Lauf nachgeschlagen hat.</translation>
    </message>
    <message>
        <source>Truncated</source>
        <translation>Gekürzt</translation>
    </message>
    <message>
        <source>Ids beyond the maximum length, dropped by the run that is under way.</source>
        <translation>Ids über der maximalen Länge, die der laufende Lauf verworfen hat.</translation>
    </message>
    <message>
        <source>OOV</source>
        <translation>OOV</translation>
    </message>
    <message>
        <source>Ids outside the vocabulary in the run that is under way.</source>
        <translation>Ids außerhalb des Vokabulars im laufenden Lauf.</translation>
    </message>
    <message>
        <source>feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>Column %1</source>
        <translation>Spalte %1</translation>
    </message>
    <message>
        <source>History of the user</source>
        <translation>Historie des Nutzers</translation>
    </message>
    <message>
        <source>Another feature</source>
        <translation>Anderes Merkmal</translation>
    </message>
    <message>
        <source>the items before the example</source>
        <translation>die Artikel vor dem Beispiel</translation>
    </message>
    <message>
        <source>Add a feature of %1</source>
        <translation>Merkmal aus %1 hinzufügen</translation>
    </message>
    <message>
        <source>Add a table</source>
        <translation>Tabelle hinzufügen</translation>
    </message>
    <message>
        <source>[%1, ≤ %2]</source>
        <translation>[%1, ≤ %2]</translation>
    </message>
    <message>
        <source>[%1, any]</source>
        <translation>[%1, beliebig]</translation>
    </message>
    <message>
        <source>last %1</source>
        <translation>letzte %1</translation>
    </message>
    <message>
        <source>within %1 s</source>
        <translation>innerhalb von %1 s</translation>
    </message>
    <message>
        <source>all rows</source>
        <translation>alle Zeilen</translation>
    </message>
    <message>
        <source>order of the data</source>
        <translation>Reihenfolge der Daten</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
</context>
<context>
    <name>parapet::ui::Field</name>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FileDelegate</name>
    <message>
        <source>Chooses a file</source>
        <translation>Wählt eine Datei</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FillMaskPanel</name>
    <message>
        <source>Click to mask the word</source>
        <translation>Klick maskiert das Wort</translation>
    </message>
    <message>
        <source>first model</source>
        <translation>erstes Modell</translation>
    </message>
    <message>
        <source>second model</source>
        <translation>zweites Modell</translation>
    </message>
    <message>
        <source>Words of the text; a checked one is masked</source>
        <translation>Wörter des Textes; ein markiertes ist maskiert</translation>
    </message>
    <message>
        <source>A text, with [MASK] where a token is to be predicted</source>
        <translation>Ein Text, mit [MASK], wo ein Token vorherzusagen ist</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Words are set apart by blanks; click one below to mask it</source>
        <translation>Wörter sind durch Leerzeichen getrennt; ein Klick unten maskiert eines</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>&amp;Text</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>What is asked of the models</source>
        <translation>Was die Modelle gefragt werden</translation>
    </message>
    <message>
        <source>To&amp;kens for each</source>
        <translation>&amp;Token je Maske</translation>
    </message>
    <message>
        <source>Tokens for each mask</source>
        <translation>Token je Maske</translation>
    </message>
    <message>
        <source>How many of the most probable tokens are listed for each mask</source>
        <translation>Wie viele der wahrscheinlichsten Token je Maske gelistet werden</translation>
    </message>
    <message>
        <source>&amp;Layer</source>
        <translation>&amp;Schicht</translation>
    </message>
    <message>
        <source>Layer of the attention</source>
        <translation>Schicht der Attention</translation>
    </message>
    <message>
        <source>Layer with attention, from 1, the one that reads the tokens first</source>
        <translation>Schicht mit Attention, ab 1; 1 liest die Token zuerst</translation>
    </message>
    <message>
        <source>&amp;Head</source>
        <translation>&amp;Kopf</translation>
    </message>
    <message>
        <source>Head of the attention</source>
        <translation>Kopf der Attention</translation>
    </message>
    <message>
        <source>Head of the layer, from 1</source>
        <translation>Kopf der Schicht, ab 1</translation>
    </message>
    <message>
        <source>Second model</source>
        <translation>Zweites Modell</translation>
    </message>
    <message>
        <source>No second model</source>
        <translation>Kein zweites Modell</translation>
    </message>
    <message>
        <source>The model has no layer with attention</source>
        <translation>Das Modell hat keine Schicht mit Attention</translation>
    </message>
    <message>
        <source>What a head reads of the text, as a picture</source>
        <translation>Was ein Kopf vom Text liest, als Bild</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FilledPiecesModel</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Among the tokens of the text; [CLS] is 0</source>
        <translation>Unter den Token des Textes; [CLS] ist 0</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>Maskiert</translation>
    </message>
    <message>
        <source>The word that the mask hides; none where [MASK] was typed</source>
        <translation>Das Wort, das die Maske verdeckt; keines, wo [MASK] getippt wurde</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FilterPanel</name>
    <message>
        <source>%1 of %2 rows pass (%3 %)</source>
        <translation>%1 von %2 Zeilen bleiben (%3 %)</translation>
    </message>
    <message>
        <source>%1 at the start; counting the rest…</source>
        <translation>%1 am Anfang; der Rest wird gezählt…</translation>
    </message>
    <message>
        <source>%1 at the start</source>
        <translation>%1 am Anfang</translation>
    </message>
    <message numerus="yes">
        <source>, %1 lines rejected</source>
        <translation>
            <numerusform>, %1 Zeile abgewiesen</numerusform>
            <numerusform>, %1 Zeilen abgewiesen</numerusform>
        </translation>
    </message>
    <message>
        <source>They are from %1 to %2.</source>
        <translation>Sie sind von %1 bis %2.</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>What is wrong with the filter</source>
        <translation>Was am Filter falsch ist</translation>
    </message>
    <message>
        <source>Share of the rows that pass the filter</source>
        <translation>Anteil der Zeilen, die der Filter durchlässt</translation>
    </message>
    <message>
        <source>Comparisons joined by and, or, not, as in: rating &gt;= 3 and weekday in (&quot;saturday&quot;, &quot;sunday&quot;)</source>
        <translation>Vergleiche, verbunden mit and, or, not, wie in: rating &gt;= 3 and weekday in (&quot;saturday&quot;, &quot;sunday&quot;)</translation>
    </message>
    <message>
        <source>Drop rare users and items</source>
        <translation>Seltene Nutzer und Artikel verwerfen</translation>
    </message>
    <message>
        <source>Repeats until every user and every item has the minimum of rows (k-core)</source>
        <translation>Wiederholt, bis jeder Nutzer und jeder Artikel die Mindestzahl an Zeilen hat (k-Kern)</translation>
    </message>
    <message>
        <source>Min. rows per user</source>
        <translation>Min. Zeilen je Nutzer</translation>
    </message>
    <message>
        <source>Min. rows per item</source>
        <translation>Min. Zeilen je Artikel</translation>
    </message>
    <message>
        <source>Change the minimum of rows</source>
        <translation>Mindestzahl der Zeilen ändern</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Zählt…</translation>
    </message>
    <message>
        <source>Not counted.</source>
        <translation>Nicht gezählt.</translation>
    </message>
    <message>
        <source>Rows are counted once there are data.</source>
        <translation>Zeilen werden gezählt, sobald es Daten gibt.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::FoldingTabs</name>
    <message>
        <source>Fold the panel</source>
        <translation>Bereich einklappen</translation>
    </message>
    <message>
        <source>Unfold the panel</source>
        <translation>Bereich ausklappen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ForkDialog</name>
    <message>
        <source>Fork %1</source>
        <translation>%1 abzweigen</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>The weights, optimizer slots and position in the data that the new run begins with</source>
        <translation>Gewichte, Zustände des Optimierers und Position in den Daten, mit denen der neue Lauf beginnt</translation>
    </message>
    <message>
        <source>step %1, epoch %2</source>
        <translation>Schritt %1, Epoche %2</translation>
    </message>
    <message>
        <source> · newest</source>
        <translation> · neuester</translation>
    </message>
    <message>
        <source> · best</source>
        <translation> · bester</translation>
    </message>
    <message>
        <source>Train up to epoch</source>
        <translation>Trainieren bis Epoche</translation>
    </message>
    <message>
        <source>Counted from the beginning of the run that is forked; more than the epochs of the checkpoint</source>
        <translation>Gezählt vom Beginn des abgezweigten Laufs; mehr als die Epochen des Checkpoints</translation>
    </message>
    <message>
        <source>The document opens as a new experiment. Change it as you like, but not its tables and layers; Run (F5) begins with the checkpoint.</source>
        <translation>Das Dokument öffnet sich als neues Experiment. Ändern Sie, was Sie möchten, außer Tabellen und Schichten; Starten (F5) beginnt mit dem Checkpoint.</translation>
    </message>
    <message>
        <source>&amp;Checkpoint</source>
        <translation>&amp;Checkpoint</translation>
    </message>
    <message>
        <source>&amp;Train up to epoch</source>
        <translation>&amp;Trainieren bis Epoche</translation>
    </message>
    <message>
        <source>Open as experiment</source>
        <translation>Als Experiment öffnen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::Form</name>
    <message>
        <source>More settings</source>
        <translation>Mehr Einstellungen</translation>
    </message>
    <message>
        <source>Shows settings that are as they are by default, too</source>
        <translation>Zeigt auch Einstellungen, die auf ihrem Standard stehen</translation>
    </message>
    <message>
        <source>Fewer settings</source>
        <translation>Weniger Einstellungen</translation>
    </message>
    <message>
        <source>One more setting</source>
        <translation>Eine weitere Einstellung</translation>
    </message>
    <message numerus="yes">
        <source>%n more settings</source>
        <translation>
            <numerusform>%n weitere Einstellung</numerusform>
            <numerusform>%n weitere Einstellungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Hides settings that are as they are by default</source>
        <translation>Verbirgt Einstellungen, die auf ihrem Standard stehen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::GraphPanel</name>
    <message>
        <source>The model in words</source>
        <translation>Das Modell in Worten</translation>
    </message>
    <message>
        <source>View of the model</source>
        <translation>Ansicht des Modells</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The same as a table; Ctrl+C copies it</source>
        <translation>Dasselbe als Tabelle; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Zoom out (−)</source>
        <translation>Verkleinern (−)</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Zoom</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>Vergrößern (+)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Show everything (0)</source>
        <translation>Alles zeigen (0)</translation>
    </message>
    <message>
        <source>Everything is shown</source>
        <translation>Alles ist zu sehen</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Picture as PNG or SVG…</source>
        <translation>Bild als PNG oder SVG…</translation>
    </message>
    <message>
        <source>Export the picture of the model</source>
        <translation>Bild des Modells exportieren</translation>
    </message>
    <message>
        <source>Copy or save the picture of the model</source>
        <translation>Kopiert oder speichert das Bild des Modells</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png)</source>
        <translation>Bilder (*.svg *.png)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::GraphView</name>
    <message>
        <source>Graph of the model</source>
        <translation>Graph des Modells</translation>
    </message>
    <message>
        <source>Wheel or + and − zoom, 0 shows everything, arrows go from box to box, Enter opens the settings</source>
        <translation>Mausrad oder + und − zoomen, 0 zeigt alles, Pfeiltasten gehen von Kasten zu Kasten, Eingabe öffnet die Einstellungen</translation>
    </message>
    <message>
        <source>Query tower</source>
        <translation>Anfrageturm</translation>
    </message>
    <message>
        <source>Candidate tower</source>
        <translation>Kandidatenturm</translation>
    </message>
    <message>
        <source>%1 boxes; arrow keys go through them</source>
        <translation>%1 Kästen; Pfeiltasten gehen hindurch</translation>
    </message>
    <message>
        <source>, query tower</source>
        <translation>, Anfrageturm</translation>
    </message>
    <message>
        <source>, candidate tower</source>
        <translation>, Kandidatenturm</translation>
    </message>
    <message>
        <source>; read by %1</source>
        <translation>; gelesen von %1</translation>
    </message>
    <message numerus="yes">
        <source>%n boxes</source>
        <translation>
            <numerusform>%n Kasten</numerusform>
            <numerusform>%n Kästen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::HeadlineBar</name>
    <message>
        <source>epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Finished epochs of all</source>
        <translation>Beendete Epochen von allen</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Training steps so far of all</source>
        <translation>Bisherige Trainingsschritte von allen</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Mean loss over the examples of the last epoch</source>
        <translation>Mittlerer Verlust über die Beispiele der letzten Epoche</translation>
    </message>
    <message>
        <source>val_loss</source>
        <translation>val_loss</translation>
    </message>
    <message>
        <source>Loss of the last validation</source>
        <translation>Verlust der letzten Validierung</translation>
    </message>
    <message>
        <source>metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>The metric by which the run is judged besides its loss, last validation</source>
        <translation>Die Metrik, nach der der Lauf neben dem Verlust beurteilt wird, letzte Validierung</translation>
    </message>
    <message>
        <source>masked hits</source>
        <translation>maskiert</translation>
    </message>
    <message>
        <source>Negatives of the last epoch that were the query&apos;s own item: left out of the loss</source>
        <translation>Negative der letzten Epoche, die der eigene Artikel der Anfrage waren: aus dem Verlust gelassen</translation>
    </message>
    <message>
        <source>ms / step</source>
        <translation>ms / Schritt</translation>
    </message>
    <message>
        <source>Mean time of a training step in the last epoch, in milliseconds</source>
        <translation>Mittlere Zeit eines Trainingsschritts in der letzten Epoche, in Millisekunden</translation>
    </message>
    <message>
        <source>examples / s</source>
        <translation>Beispiele / s</translation>
    </message>
    <message>
        <source>Training examples per second in the last epoch</source>
        <translation>Trainingsbeispiele pro Sekunde in der letzten Epoche</translation>
    </message>
    <message>
        <source>time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Estimated from the steps and validations so far; pauses not counted</source>
        <translation>Geschätzt aus den bisherigen Schritten und Validierungen; Pausen zählen nicht</translation>
    </message>
    <message>
        <source>What decided the end of the run</source>
        <translation>Was das Ende des Laufs bestimmte</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Sentences on the run</source>
        <translation>Sätze über den Lauf</translation>
    </message>
    <message>
        <source>The last validated epoch against the baselines: the metric that the run is judged by, then every baseline. A difference counts beyond three paired standard errors: those of the mean difference over the same held-out rows or lists. Mean label: the mean of the training labels for every row. Equal scores: the same score for every candidate.</source>
        <translation>Die zuletzt validierte Epoche gegen die Baselines: die Metrik, nach der der Lauf beurteilt wird, dann jede Baseline. Eine Differenz zählt ab drei gepaarten Standardfehlern: denen der mittleren Differenz über dieselben zurückgehaltenen Zeilen oder Listen. Mittleres Label: der Mittelwert der Trainingslabels für jede Zeile. Gleiche Scores: derselbe Score für jeden Kandidaten.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HeadsModel</name>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Layers of the head, input first; the last is 1 wide.</source>
        <translation>Schichten des Kopfs, Eingabe zuerst; die letzte ist 1 breit.</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HelpDialog</name>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Shows the lines that contain this text</source>
        <translation>Zeigt die Zeilen, die diesen Text enthalten</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HistoryModel</name>
    <message>
        <source>train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>unbenutzt</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>Items that the user rated</source>
        <translation>Artikel, die der Nutzer bewertet hat</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Label as the source has it, e.g. stars</source>
        <translation>Label, wie die Quelle es hat, z. B. Sterne</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Part of the split that holds the row</source>
        <translation>Teil der Aufteilung, der die Zeile enthält</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>Datum</translation>
    </message>
    <message>
        <source>Day (UTC)</source>
        <translation>Tag (UTC)</translation>
    </message>
    <message>
        <source>%1 (id %2)</source>
        <translation>%1 (Id %2)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HistoryPanel</name>
    <message>
        <source>History</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>History of user %1 · rows, newest first: %2</source>
        <translation>Historie des Nutzers %1 · Zeilen, neueste zuerst: %2</translation>
    </message>
    <message>
        <source>History of user %1 · rows: %2</source>
        <translation>Historie des Nutzers %1 · Zeilen: %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HistoryStrip</name>
    <message>
        <source>%1 (id %2)</source>
        <translation>%1 (Id %2)</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>The items that the list rests on, oldest first</source>
        <translation>Die Artikel, auf denen die Liste beruht, älteste zuerst</translation>
    </message>
    <message>
        <source>Move the item one earlier (Alt+←)</source>
        <translation>Artikel eins früher (Alt+←)</translation>
    </message>
    <message>
        <source>Move the item one later (Alt+→)</source>
        <translation>Artikel eins später (Alt+→)</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Take the item out of the history (Del)</source>
        <translation>Artikel aus der Historie nehmen (Entf)</translation>
    </message>
    <message>
        <source>Own</source>
        <translation>Eigene</translation>
    </message>
    <message>
        <source>Back to the history that the user has</source>
        <translation>Zurück zur Historie, die der Nutzer hat</translation>
    </message>
    <message>
        <source>Items of the history, oldest first</source>
        <translation>Artikel der Historie, älteste zuerst</translation>
    </message>
    <message>
        <source>Add an item…</source>
        <translation>Artikel hinzufügen…</translation>
    </message>
    <message>
        <source>Add an item to the history</source>
        <translation>Artikel zur Historie hinzufügen</translation>
    </message>
    <message>
        <source>Part of a title or an id; Enter adds the first match</source>
        <translation>Teil eines Titels oder einer Id; Eingabe fügt den ersten Treffer hinzu</translation>
    </message>
    <message>
        <source>No item has this in title or id</source>
        <translation>Kein Artikel hat das in Titel oder Id</translation>
    </message>
    <message>
        <source>This is the history that the user has</source>
        <translation>Das ist die Historie, die der Nutzer hat</translation>
    </message>
    <message>
        <source>Select an item of the history first</source>
        <translation>Wählen Sie zuerst einen Artikel der Historie</translation>
    </message>
    <message>
        <source>This is the oldest item</source>
        <translation>Das ist der älteste Artikel</translation>
    </message>
    <message>
        <source>This is the newest item</source>
        <translation>Das ist der neueste Artikel</translation>
    </message>
</context>
<context>
    <name>parapet::ui::HomePage</name>
    <message>
        <source>Parapet is a workbench for two-tower recommenders: drop a table of who chose what, train on it, and see the list of every user and whether it beats the most popular items.</source>
        <translation>Parapet ist eine Werkbank für Empfehlungsmodelle mit zwei Türmen: Ziehen Sie eine Tabelle hierher, wer was gewählt hat, trainieren Sie damit, und sehen Sie die Liste jedes Nutzers und ob sie besser ist als die beliebtesten Artikel.</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>This is a model folder: it answers questions and does not train. To train, open a workspace.</source>
        <translation>Dies ist ein Modellordner: Er beantwortet Fragen und trainiert nicht. Zum Trainieren öffnen Sie einen Arbeitsbereich.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ImportPanel</name>
    <message>
        <source>Check and import now</source>
        <translation>Jetzt prüfen und importieren</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>OOV [%]</source>
        <translation>OOV [%]</translation>
    </message>
    <message>
        <source>Unused rows</source>
        <translation>Unbenutzte Zeilen</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Coverage of the vocabularies</source>
        <translation>Abdeckung der Vokabulare</translation>
    </message>
    <message>
        <source>Rejected lines</source>
        <translation>Abgewiesene Zeilen</translation>
    </message>
    <message>
        <source>Reads the source once. A run uses what was imported and need not wait.</source>
        <translation>Liest die Quelle einmal. Ein Lauf benutzt das Importierte und muss nicht warten.</translation>
    </message>
    <message>
        <source>Pauses the import, or continues it.</source>
        <translation>Hält den Import an oder setzt ihn fort.</translation>
    </message>
    <message>
        <source>Stops the import and keeps nothing of it.</source>
        <translation>Stoppt den Import und behält nichts davon.</translation>
    </message>
    <message>
        <source>Progress of the import</source>
        <translation>Fortschritt des Imports</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, noch %1</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message numerus="yes">
        <source>%1 rows</source>
        <translation>
            <numerusform>%1 Zeile</numerusform>
            <numerusform>%1 Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %1 lines rejected</source>
        <translation>
            <numerusform>, %1 Zeile abgewiesen</numerusform>
            <numerusform>, %1 Zeilen abgewiesen</numerusform>
        </translation>
    </message>
    <message>
        <source>. Imported before.</source>
        <translation>. Schon früher importiert.</translation>
    </message>
    <message>
        <source> in %1 (%2 rows a second).</source>
        <translation> in %1 (%2 Zeilen pro Sekunde).</translation>
    </message>
    <message>
        <source>An import is under way</source>
        <translation>Ein Import läuft</translation>
    </message>
    <message>
        <source>Choose the data and fix their problems first</source>
        <translation>Wählen Sie zuerst die Daten und beheben Sie deren Probleme</translation>
    </message>
    <message>
        <source>Rows and vocabulary sizes are known after the import.</source>
        <translation>Zeilen- und Vokabulargrößen sind nach dem Import bekannt.</translation>
    </message>
    <message>
        <source>Choose the data and fix their problems first.</source>
        <translation>Wählen Sie zuerst die Daten und beheben Sie deren Probleme.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ItemRanksModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>excluded: already seen (rank without the exclusion)</source>
        <translation>ausgeschlossen: schon gesehen (Rang ohne den Ausschluss)</translation>
    </message>
    <message>
        <source>left out by the filter (rank without it)</source>
        <translation>vom Filter weggelassen (Rang ohne ihn)</translation>
    </message>
    <message>
        <source>in the list</source>
        <translation>in der Liste</translation>
    </message>
    <message>
        <source>outside the list</source>
        <translation>außerhalb der Liste</translation>
    </message>
    <message>
        <source>Gap to #%1</source>
        <translation>Abstand zu #%1</translation>
    </message>
    <message>
        <source>Score minus the score of the last item of the list; negative when outside</source>
        <translation>Score minus der Score des letzten Artikels der Liste; negativ außerhalb</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>%1 · step %2</source>
        <translation>%1 · Schritt %2</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>Score of #%1</source>
        <translation>Score von #%1</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Stand</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ItemTable</name>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>JSON files (*.json)</source>
        <translation>JSON-Dateien (*.json)</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Als JSON exportieren…</translation>
    </message>
</context>
<context>
    <name>parapet::ui::JsonDrawer</name>
    <message>
        <source>Show defaults</source>
        <translation>Standardwerte zeigen</translation>
    </message>
    <message>
        <source>Shows the settings that stand at their default, too</source>
        <translation>Zeigt auch die Einstellungen, die auf ihrem Standard stehen</translation>
    </message>
    <message>
        <source>Close the JSON</source>
        <translation>JSON schließen</translation>
    </message>
    <message>
        <source>Closes the drawer (F4)</source>
        <translation>Schließt die Schublade (F4)</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Discards what was typed since the last valid JSON</source>
        <translation>Verwirft, was seit dem letzten gültigen JSON getippt wurde</translation>
    </message>
    <message>
        <source>Discard the typed text</source>
        <translation>Getippten Text verwerfen</translation>
    </message>
    <message>
        <source>The text is not valid JSON; the steps show the last valid one. %1</source>
        <translation>Der Text ist kein gültiges JSON; die Schritte zeigen das letzte gültige. %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::JsonView</name>
    <message>
        <source>Document as JSON</source>
        <translation>Dokument als JSON</translation>
    </message>
    <message>
        <source>The whole experiment. Typing here changes the form.</source>
        <translation>Das ganze Experiment. Was hier getippt wird, ändert das Formular.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LaneView</name>
    <message>
        <source>Time of the devices</source>
        <translation>Zeit der Geräte</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message numerus="yes">
        <source>%n devices</source>
        <translation>
            <numerusform>%n Gerät</numerusform>
            <numerusform>%n Geräte</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::LanesModel</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>%1 [%]</source>
        <translation>%1 [%]</translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation>%1 %2 %</translation>
    </message>
    <message>
        <source>Cache hits: %1</source>
        <translation>Cache-Treffer: %1</translation>
    </message>
    <message>
        <source>Replayed: %1 % of the pieces of steps</source>
        <translation>Wiederholt: %1 % der Teile der Schritte</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisierung</translation>
    </message>
    <message>
        <source>Input wait</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Forward and backward pass over the examples of this device; of a GPU its updates, too</source>
        <translation>Vorwärts- und Rückwärtslauf über die Beispiele dieses Geräts; bei einer GPU auch ihre Aktualisierungen</translation>
    </message>
    <message>
        <source>Gradients summed and embedding rows exchanged over the devices</source>
        <translation>Gradienten summiert und Embedding-Zeilen über die Geräte ausgetauscht</translation>
    </message>
    <message>
        <source>Gradients of the same row summed and applied by the optimizer</source>
        <translation>Gradienten derselben Zeile summiert und vom Optimierer angewandt</translation>
    </message>
    <message>
        <source>The next batch was not ready</source>
        <translation>Der nächste Stapel war nicht bereit</translation>
    </message>
    <message>
        <source>Waiting for the other devices, which share the cores, and between the parts of a step</source>
        <translation>Warten auf die anderen Geräte, die sich die Kerne teilen, und zwischen den Teilen eines Schritts</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>Rank %1, %2: %3</source>
        <translation>Rang %1, %2: %3</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LatestRunCard</name>
    <message>
        <source>See its curves</source>
        <translation>Kurven ansehen</translation>
    </message>
    <message>
        <source>Browse its lists</source>
        <translation>Listen ansehen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Watch it train</source>
        <translation>Beim Training zusehen</translation>
    </message>
    <message>
        <source>Newest run</source>
        <translation>Neuester Lauf</translation>
    </message>
    <message>
        <source>Outcome of the newest run</source>
        <translation>Ergebnis des neuesten Laufs</translation>
    </message>
    <message>
        <source>Shows loss and metrics of this run on the page Train</source>
        <translation>Zeigt Verlust und Metriken dieses Laufs auf der Seite „Training“</translation>
    </message>
    <message>
        <source>See the curves of the newest run</source>
        <translation>Kurven des neuesten Laufs ansehen</translation>
    </message>
    <message>
        <source>Goes on from the newest checkpoint of this run, or begins it anew where there is none</source>
        <translation>Setzt beim neuesten Checkpoint dieses Laufs fort oder beginnt neu, wo keiner ist</translation>
    </message>
    <message>
        <source>Resume the newest run</source>
        <translation>Neuesten Lauf fortsetzen</translation>
    </message>
    <message>
        <source>Trains the sample on a hundred times the data, for about 20 seconds, and shows its curve as it moves</source>
        <translation>Trainiert das Beispiel auf hundertmal so vielen Daten, etwa 20 Sekunden lang, und zeigt die Kurve, während sie sich bewegt</translation>
    </message>
    <message>
        <source>Watch the sample train</source>
        <translation>Dem Beispiel beim Training zusehen</translation>
    </message>
    <message>
        <source>Ask it about a text</source>
        <translation>Zu einem Text befragen</translation>
    </message>
    <message>
        <source>Shows what the trained model predicts for masked words</source>
        <translation>Zeigt, was das trainierte Modell für maskierte Wörter vorhersagt</translation>
    </message>
    <message>
        <source>Shows what the trained model recommends to each user</source>
        <translation>Zeigt, was das trainierte Modell jedem Nutzer empfiehlt</translation>
    </message>
    <message>
        <source>Ask the newest run about a text</source>
        <translation>Neuesten Lauf zu einem Text befragen</translation>
    </message>
    <message>
        <source>Browse what the newest run recommends</source>
        <translation>Empfehlungen des neuesten Laufs ansehen</translation>
    </message>
    <message>
        <source>There is no run yet</source>
        <translation>Es gibt noch keinen Lauf</translation>
    </message>
    <message>
        <source>The run has no epoch yet</source>
        <translation>Der Lauf hat noch keine Epoche</translation>
    </message>
    <message>
        <source>A run is under way</source>
        <translation>Ein Lauf trainiert</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>Noch kein Lauf</translation>
    </message>
    <message>
        <source>Take a recipe or drop data, and press Run (F5).</source>
        <translation>Nehmen Sie ein Rezept oder ziehen Sie Daten hierher, und drücken Sie Starten (F5).</translation>
    </message>
    <message>
        <source>Newest run: %1 · %2</source>
        <translation>Neuester Lauf: %1 · %2</translation>
    </message>
    <message>
        <source>%1 · %2 of %3 epochs · started %4</source>
        <translation>%1 · %2 von %3 Epochen · gestartet %4</translation>
    </message>
    <message>
        <source> · took %1</source>
        <translation> · Dauer %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LayersModel</name>
    <message>
        <source>%1 head</source>
        <translation>%1 Kopf</translation>
    </message>
    <message>
        <source>%1 heads</source>
        <translation>%1 Köpfe</translation>
    </message>
    <message>
        <source>%1 unit</source>
        <translation>%1 Einheit</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 Einheiten</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>causal</source>
        <translation>kausal</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>mit %1</translation>
    </message>
    <message>
        <source>%1 positions</source>
        <translation>%1 Positionen</translation>
    </message>
    <message>
        <source>GLU</source>
        <translation>GLU</translation>
    </message>
    <message>
        <source>gated residual</source>
        <translation>Residuum mit Tor</translation>
    </message>
    <message>
        <source>with itself</source>
        <translation>mit sich selbst</translation>
    </message>
    <message>
        <source>rate %1</source>
        <translation>Rate %1</translation>
    </message>
    <message>
        <source>momentum %1</source>
        <translation>Momentum %1</translation>
    </message>
    <message>
        <source>no bias</source>
        <translation>ohne Bias</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>eingefroren</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>All settings of the layer. Enter opens them.</source>
        <translation>Alle Einstellungen der Schicht. Eingabe öffnet sie.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Examples of a batch and elements of each.</source>
        <translation>Beispiele eines Stapels und Elemente je Beispiel.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Weights, the moving statistics of a norm included.</source>
        <translation>Gewichte, einschließlich der gleitenden Statistik einer Normierung.</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>all features</source>
        <translation>alle Merkmale</translation>
    </message>
    <message>
        <source>the previous layer</source>
        <translation>die vorige Schicht</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LayersPanel</name>
    <message>
        <source>Select a layer to see all of its settings; Add layer puts one at the end, Alt+↑ and Alt+↓ move it.</source>
        <translation>Wählen Sie eine Schicht, um alle ihre Einstellungen zu sehen; „Schicht hinzufügen“ setzt eine ans Ende, Alt+↑ und Alt+↓ verschieben sie.</translation>
    </message>
    <message>
        <source>Initial weights</source>
        <translation>Anfangsgewichte</translation>
    </message>
    <message>
        <source>Parts of the model</source>
        <translation>Teile des Modells</translation>
    </message>
    <message>
        <source>Kind of model</source>
        <translation>Art des Modells</translation>
    </message>
    <message>
        <source>
Layers are carried over, and the loss becomes one that the kind can have, so that the model can run at once.</source>
        <translation>
Schichten werden übernommen, und der Verlust wird einer, den die Art haben kann, damit das Modell sofort läuft.</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Change the kind of model</source>
        <translation>Art des Modells ändern</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>Own</source>
        <translation>Eigene</translation>
    </message>
    <message>
        <source>%1 (%2 × %3)</source>
        <translation>%1 (%2 × %3)</translation>
    </message>
    <message>
        <source>%1 blocks, width %2, %3 heads</source>
        <translation>%1 Blöcke, Breite %2, %3 Köpfe</translation>
    </message>
    <message>
        <source>Sizes of the encoder</source>
        <translation>Größen des Encoders</translation>
    </message>
    <message>
        <source>Sizes of the encoder by name (blocks × width); replaces its layers, the masked layers and the width of the tokens&apos; table in one undoable edit</source>
        <translation>Größen des Encoders nach Namen (Blöcke × Breite); ersetzt seine Schichten, die maskierten Schichten und die Breite der Token-Tabelle in einer Änderung, die sich zurücknehmen lässt</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Make the encoder a %1</source>
        <translation>Encoder zu %1 machen</translation>
    </message>
    <message>
        <source>Query tower</source>
        <translation>Anfrageturm</translation>
    </message>
    <message>
        <source>Candidate tower</source>
        <translation>Kandidatenturm</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>Encoder</translation>
    </message>
    <message>
        <source>Masked positions</source>
        <translation>Maskierte Positionen</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>Reads lines of text, and the data are rows of users and items</source>
        <translation>Liest Textzeilen, und die Daten sind Zeilen von Nutzern und Artikeln</translation>
    </message>
    <message>
        <source>Reads users and items, and the data are lines of text</source>
        <translation>Liest Nutzer und Artikel, und die Daten sind Textzeilen</translation>
    </message>
    <message>
        <source>No layer: the concatenated features are the output. Add one.</source>
        <translation>Keine Schicht: Die verketteten Merkmale sind die Ausgabe. Fügen Sie eine hinzu.</translation>
    </message>
    <message>
        <source>Add layer</source>
        <translation>Schicht hinzufügen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LogModel</name>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LogPage</name>
    <message>
        <source>Copy the log</source>
        <translation>Protokoll kopieren</translation>
    </message>
    <message>
        <source>Clear the log</source>
        <translation>Protokoll leeren</translation>
    </message>
    <message>
        <source>Log messages</source>
        <translation>Meldungen des Protokolls</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>Alle Stufen</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Minimum level</source>
        <translation>Mindeststufe</translation>
    </message>
    <message>
        <source>Hides messages below this level</source>
        <translation>Verbirgt Meldungen unter dieser Stufe</translation>
    </message>
    <message>
        <source>Filter messages</source>
        <translation>Meldungen filtern</translation>
    </message>
    <message>
        <source>Shows messages that contain this text</source>
        <translation>Zeigt Meldungen, die diesen Text enthalten</translation>
    </message>
    <message>
        <source>Copies the messages that are shown</source>
        <translation>Kopiert die Meldungen, die zu sehen sind</translation>
    </message>
    <message>
        <source>Removes all messages from this list</source>
        <translation>Entfernt alle Meldungen aus dieser Liste</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
</context>
<context>
    <name>parapet::ui::LossChart</name>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Losses of the run</source>
        <translation>Verluste des Laufs</translation>
    </message>
    <message>
        <source>step loss</source>
        <translation>Schrittverlust</translation>
    </message>
    <message>
        <source>epoch loss</source>
        <translation>Epochenverlust</translation>
    </message>
    <message>
        <source>as displayed</source>
        <translation>wie angezeigt</translation>
    </message>
    <message>
        <source>val_loss</source>
        <translation>val_loss</translation>
    </message>
    <message>
        <source>step loss, short batch</source>
        <translation>Schrittverlust, kurzer Stapel</translation>
    </message>
    <message>
        <source>published loss</source>
        <translation>veröffentlichter Verlust</translation>
    </message>
    <message>
        <source>published val_loss</source>
        <translation>veröffentlichter val_loss</translation>
    </message>
    <message>
        <source>as displayed: mean of %1 seeds ± 2 sd</source>
        <translation>wie angezeigt: Mittel über %1 Seeds ± 2 sd</translation>
    </message>
    <message>
        <source>val_loss: mean of %1 seeds ± 2 sd</source>
        <translation>val_loss: Mittel über %1 Seeds ± 2 sd</translation>
    </message>
    <message>
        <source>The loss of step %1 is not finite</source>
        <translation>Der Verlust von Schritt %1 ist nicht endlich</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MainWindow</name>
    <message>
        <source>Parapet</source>
        <translation>Parapet</translation>
    </message>
    <message>
        <source>The model %1 cannot be opened in a window of its own.</source>
        <translation>Das Modell %1 lässt sich nicht in einem eigenen Fenster öffnen.</translation>
    </message>
    <message>
        <source>The model opens in a window of its own.</source>
        <translation>Das Modell öffnet sich in einem eigenen Fenster.</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Find a &amp;command…</source>
        <translation>Befehl s&amp;uchen…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Experiment</source>
        <translation>&amp;Experiment</translation>
    </message>
    <message>
        <source>&amp;New from a recipe</source>
        <translation>&amp;Neu aus einem Rezept</translation>
    </message>
    <message>
        <source>E&amp;dit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>Race &amp;variants of new proposals</source>
        <translation>&amp;Varianten neuer Vorschläge vergleichen</translation>
    </message>
    <message>
        <source>After data were opened, trains variants of the proposal for about a minute and takes the best; an edit or a run ends that</source>
        <translation>Trainiert nach dem Öffnen von Daten etwa eine Minute lang Varianten des Vorschlags und nimmt die beste; eine Änderung oder ein Lauf beendet das</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Show the &amp;log</source>
        <translation>&amp;Protokoll zeigen</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>&amp;Page</source>
        <translation>&amp;Seite</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;Glossary</source>
        <translation>&amp;Glossar</translation>
    </message>
    <message>
        <source>&amp;Documents</source>
        <translation>&amp;Dokumente</translation>
    </message>
    <message>
        <source>&amp;About Parapet</source>
        <translation>&amp;Über Parapet</translation>
    </message>
    <message>
        <source>About Parapet</source>
        <translation>Über Parapet</translation>
    </message>
    <message>
        <source>Parapet %1

A workbench for two-tower recommenders.
The window is free software under the GPL, version 3 or later; the engine under the Apache licence 2.0.</source>
        <translation>Parapet %1

Eine Werkbank für Empfehlungsmodelle mit zwei Türmen.
Das Fenster ist freie Software unter der GPL, Version 3 oder später; die Engine steht unter der Apache-Lizenz 2.0.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Glossary</source>
        <translation>Glossar</translation>
    </message>
    <message>
        <source>Term</source>
        <translation>Term</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farbschema</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>As the &amp;desktop</source>
        <translation>Wie die &amp;Arbeitsumgebung</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>D&amp;ark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das S&amp;ystem</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The language changes at the next start of Parapet.</source>
        <translation>Die Sprache wechselt beim nächsten Start von Parapet.</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Save the experiment as a file…</source>
        <translation>Experiment als Datei speichern…</translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation>Lauf %1: %2</translation>
    </message>
    <message>
        <source>run %1 started</source>
        <translation>Lauf %1 gestartet</translation>
    </message>
    <message>
        <source>run %1 ended: %2</source>
        <translation>Lauf %1 beendet: %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>The published curve was left out: %1 of its run differs.</source>
        <translation>Die veröffentlichte Kurve wurde weggelassen: %1 ihres Laufs ist anders.</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep the published curve</source>
        <translation>Veröffentlichte Kurve behalten</translation>
    </message>
    <message>
        <source>%1 was moved to the trash; its runs stay.</source>
        <translation>%1 liegt jetzt im Papierkorb; die Läufe bleiben.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>%1 waits in the queue since before this window was opened.</source>
        <translation>%1 wartet in der Warteschlange, seit bevor dieses Fenster geöffnet wurde.</translation>
    </message>
    <message numerus="yes">
        <source>%n runs wait in the queue since before this window was opened, %1 is the first.</source>
        <translation>
            <numerusform>%n Lauf wartet in der Warteschlange, seit bevor dieses Fenster geöffnet wurde: %1.</numerusform>
            <numerusform>%n Läufe warten in der Warteschlange, seit bevor dieses Fenster geöffnet wurde; %1 ist der erste.</numerusform>
        </translation>
    </message>
    <message>
        <source>Go on with the queue</source>
        <translation>Warteschlange fortsetzen</translation>
    </message>
    <message>
        <source>run %1 (%2) was put into the queue</source>
        <translation>Lauf %1 (%2) wurde eingereiht</translation>
    </message>
    <message>
        <source>%1 was put into the queue.</source>
        <translation>%1 wurde eingereiht.</translation>
    </message>
    <message>
        <source>Taken out of the queue: %1.</source>
        <translation>Aus der Warteschlange genommen: %1.</translation>
    </message>
    <message>
        <source>%1 was started from the queue.</source>
        <translation>%1 wurde aus der Warteschlange gestartet.</translation>
    </message>
    <message>
        <source>This is the model %1. It answers questions; what is edited here is not kept, and nothing is trained.</source>
        <translation>Dies ist das Modell %1. Es beantwortet Fragen; was hier geändert wird, bleibt nicht erhalten, und nichts wird trainiert.</translation>
    </message>
    <message>
        <source>The workspace can be read but not written; runs cannot be started. %1</source>
        <translation>Der Arbeitsbereich lässt sich lesen, aber nicht schreiben; Läufe lassen sich nicht starten. %1</translation>
    </message>
    <message>
        <source>The process of run %1 is gone. The run is now Crashed and can be resumed.</source>
        <translation>Der Prozess von Lauf %1 ist weg. Der Lauf ist jetzt „Abgestürzt“ und lässt sich fortsetzen.</translation>
    </message>
    <message>
        <source>Parapet (safe mode)</source>
        <translation>Parapet (abgesichert)</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>%1 is no model folder. Runs › Export… › Model writes one.</source>
        <translation>%1 ist kein Modellordner. Läufe › Exportieren… › Modell schreibt einen.</translation>
    </message>
    <message>
        <source>Open a &amp;model folder…</source>
        <translation>&amp;Modellordner öffnen…</translation>
    </message>
    <message>
        <source>Browses a model that was exported as a folder, in a window of its own</source>
        <translation>Erkundet ein als Ordner exportiertes Modell in einem eigenen Fenster</translation>
    </message>
    <message>
        <source>Restart in &amp;safe mode</source>
        <translation>&amp;Abgesichert neu starten</translation>
    </message>
    <message>
        <source>Stops a run with a checkpoint and starts again without plugins, and with the default layout and settings</source>
        <translation>Hält einen Lauf mit einem Checkpoint an und startet ohne Plugins und mit den Standardeinstellungen neu</translation>
    </message>
    <message>
        <source>Restart &amp;normally</source>
        <translation>&amp;Normal neu starten</translation>
    </message>
    <message>
        <source>Stops a run with a checkpoint and starts again with plugins, layout and settings</source>
        <translation>Hält einen Lauf mit einem Checkpoint an und startet mit Plugins, Anordnung und Einstellungen neu</translation>
    </message>
    <message>
        <source>Safe mode: no plugins are loaded, and layout and settings are the default ones. What you change of them is not kept.</source>
        <translation>Abgesicherter Modus: keine Plugins sind geladen, Anordnung und Einstellungen sind die Standardwerte. Änderungen daran werden nicht behalten.</translation>
    </message>
    <message>
        <source>Restart normally</source>
        <translation>Normal neu starten</translation>
    </message>
    <message>
        <source>The last window did not end orderly. Safe mode starts without plugins, and with the default layout and settings.</source>
        <translation>Das letzte Fenster wurde nicht ordentlich beendet. Der abgesicherte Modus startet ohne Plugins und mit den Standardeinstellungen.</translation>
    </message>
    <message>
        <source>Restart in safe mode</source>
        <translation>Abgesichert neu starten</translation>
    </message>
    <message>
        <source>&amp;Tour of the window</source>
        <translation>Fenster-&amp;Rundgang</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MaskedColumn</name>
    <message>
        <source>Tokens for the masks, %1</source>
        <translation>Token für die Masken, %1</translation>
    </message>
    <message>
        <source>Attention, %1</source>
        <translation>Attention, %1</translation>
    </message>
    <message>
        <source>What the chosen token reads, %1</source>
        <translation>Was das gewählte Token liest, %1</translation>
    </message>
    <message>
        <source>Legend of the attention, %1</source>
        <translation>Legende der Attention, %1</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>Das Modell wird geöffnet…</translation>
    </message>
    <message>
        <source>Model of run %1 · step %2</source>
        <translation>Modell von Lauf %1 · Schritt %2</translation>
    </message>
    <message>
        <source>type a text</source>
        <translation>tippen Sie einen Text</translation>
    </message>
    <message>
        <source>click the words that are to be predicted</source>
        <translation>klicken Sie die Wörter an, die vorherzusagen sind</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MaskingPanel</name>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Becomes</source>
        <translation>Wird</translation>
    </message>
    <message>
        <source>The model reads</source>
        <translation>Das Modell liest</translation>
    </message>
    <message>
        <source>Texts with their masks</source>
        <translation>Texte mit ihren Masken</translation>
    </message>
    <message>
        <source>Tokens that are to be predicted</source>
        <translation>Token, die vorherzusagen sind</translation>
    </message>
    <message>
        <source>Tokens and masks</source>
        <translation>Token und Masken</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Shares of what is masked</source>
        <translation>Anteile des Maskierten</translation>
    </message>
    <message>
        <source>Set the masking</source>
        <translation>Maskierung setzen</translation>
    </message>
    <message>
        <source>Rate, shares and method of the masks; those of BERT otherwise</source>
        <translation>Rate, Anteile und Verfahren der Masken; sonst die von BERT</translation>
    </message>
    <message>
        <source>Change the masking</source>
        <translation>Maskierung ändern</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Become [MASK]</source>
        <translation>Werden [MASK]</translation>
    </message>
    <message>
        <source>Become another token</source>
        <translation>Werden ein anderes Token</translation>
    </message>
    <message>
        <source>Max. of a sequence</source>
        <translation>Max. je Sequenz</translation>
    </message>
    <message>
        <source>Seed whose masks are shown</source>
        <translation>Seed, dessen Masken zu sehen sind</translation>
    </message>
    <message>
        <source>Another seed shows what it would mask; that of the run is set under Training</source>
        <translation>Ein anderer Seed zeigt, was er maskieren würde; der des Laufs steht unter „Training“</translation>
    </message>
    <message>
        <source>Seed shown</source>
        <translation>Gezeigter Seed</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Epoch whose masks are shown</source>
        <translation>Epoche, deren Masken zu sehen sind</translation>
    </message>
    <message>
        <source>Masks are drawn anew in every epoch; those of validation are always the same. Lines are numbered as they stand in the file; a shuffled epoch numbers them otherwise.</source>
        <translation>Masken werden in jeder Epoche neu gezogen; die der Validierung sind immer gleich. Zeilen sind nummeriert, wie sie in der Datei stehen; eine gemischte Epoche nummeriert sie anders.</translation>
    </message>
    <message>
        <source>Epoch shown</source>
        <translation>Gezeigte Epoche</translation>
    </message>
    <message>
        <source>The model masks nothing: choose the kind “masked language model” under Model.</source>
        <translation>Das Modell maskiert nichts: Wählen Sie unter „Modell“ die Art „Maskiertes Sprachmodell“.</translation>
    </message>
    <message>
        <source> Of a sequence at most %1 are selected (Max. of a sequence), which is less than %2 % in %3 of the lines.</source>
        <translation> Von einer Sequenz werden höchstens %1 gewählt (Max. je Sequenz), das sind in %3 der Zeilen weniger als %2 %.</translation>
    </message>
    <message>
        <source>No training line passes the filter.</source>
        <translation>Keine Trainingszeile passiert den Filter.</translation>
    </message>
    <message>
        <source>%1 of %2 tokens of %3 lines are to be predicted (%4 %): %5. What stood there is struck through.</source>
        <translation>%1 von %2 Token aus %3 Zeilen sind vorherzusagen (%4 %): %5. Was dort stand, ist durchgestrichen.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MemoryPanel</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Coordinates</source>
        <translation>Koordinaten</translation>
    </message>
    <message>
        <source>Examples of a batch</source>
        <translation>Beispiele eines Stapels</translation>
    </message>
    <message>
        <source>Step buffers</source>
        <translation>Schrittpuffer</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Optimizer state</source>
        <translation>Optimiererzustand</translation>
    </message>
    <message>
        <source>Scratch</source>
        <translation>Zwischenspeicher</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Memory spaces</source>
        <translation>Speicherräume</translation>
    </message>
    <message>
        <source>Ranks and their work</source>
        <translation>Ränge und ihre Arbeit</translation>
    </message>
    <message>
        <source>Memory spaces and their contents</source>
        <translation>Speicherräume und ihr Inhalt</translation>
    </message>
    <message>
        <source>How devices share a batch</source>
        <translation>Wie Geräte sich einen Stapel teilen</translation>
    </message>
    <message>
        <source>Memory of the run</source>
        <translation>Speicher des Laufs</translation>
    </message>
    <message>
        <source>Ranks and memory</source>
        <translation>Ränge und Speicher</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MeshPage</name>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Ranks, their share of a batch, and what each memory holds</source>
        <translation>Ränge, ihr Anteil an einem Stapel und was jeder Speicher enthält</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Trains a few steps here and on one device, and compares the results</source>
        <translation>Trainiert einige Schritte hier und auf einem Gerät und vergleicht die Ergebnisse</translation>
    </message>
    <message>
        <source>Plan and placement of a table</source>
        <translation>Plan und Platzierung einer Tabelle</translation>
    </message>
    <message>
        <source>Mesh and placements</source>
        <translation>Mesh und Platzierungen</translation>
    </message>
    <message>
        <source>Memory and exchange</source>
        <translation>Speicher und Austausch</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Achsen</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>memory of the devices</source>
        <translation>Speicher der Geräte</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Stack tables</source>
        <translation>Tabellen stapeln</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappen</translation>
    </message>
    <message>
        <source>Memory spaces</source>
        <translation>Speicherräume</translation>
    </message>
    <message>
        <source>Plan the placement of tables</source>
        <translation>Platzierung der Tabellen planen</translation>
    </message>
    <message>
        <source>Verify the experiment: train a few steps twice and compare</source>
        <translation>Experiment prüfen: einige Schritte zweimal trainieren und vergleichen</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Trains a few steps twice and compares the results (Ctrl+Shift+V)</source>
        <translation>Trainiert einige Schritte zweimal und vergleicht die Ergebnisse (Strg+Umschalt+V)</translation>
    </message>
    <message>
        <source>Apply the plan to the document</source>
        <translation>Plan ins Dokument übernehmen</translation>
    </message>
    <message>
        <source>The experiment has changed; the tables can be moved once it is planned.</source>
        <translation>Das Experiment hat sich geändert; die Tabellen lassen sich verschieben, sobald es geplant ist.</translation>
    </message>
    <message>
        <source>Placement of the table</source>
        <translation>Platzierung der Tabelle</translation>
    </message>
    <message>
        <source>Devices &amp; placement</source>
        <translation>Geräte &amp; Platzierung</translation>
    </message>
</context>
<context>
    <name>parapet::ui::MetricChart</name>
    <message>
        <source>published, as displayed</source>
        <translation>veröffentlicht, wie angezeigt</translation>
    </message>
    <message>
        <source>published</source>
        <translation>veröffentlicht</translation>
    </message>
    <message>
        <source>mean of %1 seeds ± 2 sd</source>
        <translation>Mittel über %1 Seeds ± 2 sd</translation>
    </message>
    <message>
        <source>schedule of the %1</source>
        <translation>Plan von %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ModelPage</name>
    <message>
        <source>Settings of the model</source>
        <translation>Einstellungen des Modells</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>No head: the score with its loss is the only output. Add one to predict something else from the same vectors.</source>
        <translation>Kein Kopf: Der Score mit seinem Verlust ist die einzige Ausgabe. Fügen Sie einen hinzu, um aus denselben Vektoren noch etwas vorherzusagen.</translation>
    </message>
    <message>
        <source>Select a head to see its settings. Its layers stand under Layers, in a tab of their own.</source>
        <translation>Wählen Sie einen Kopf, um seine Einstellungen zu sehen. Seine Schichten stehen unter „Schichten“ in einem eigenen Reiter.</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Lernratenplan</translation>
    </message>
    <message>
        <source>Size of the model</source>
        <translation>Größe des Modells</translation>
    </message>
    <message>
        <source>Add a layer…</source>
        <translation>Schicht hinzufügen…</translation>
    </message>
    <message>
        <source>Add a head</source>
        <translation>Kopf hinzufügen</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>Ganzen Graphen zeigen</translation>
    </message>
    <message>
        <source>Copy the picture of the model</source>
        <translation>Bild des Modells kopieren</translation>
    </message>
    <message>
        <source>Layers have %1 parameters</source>
        <translation>Schichten haben %1 Parameter</translation>
    </message>
    <message>
        <source>, embedding tables %1.</source>
        <translation>, Einbettungstabellen %1.</translation>
    </message>
    <message>
        <source>; how many the tables have is known after the import.</source>
        <translation>; wie viele die Tabellen haben, ist nach dem Import bekannt.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ModelPicker</name>
    <message>
        <source>%1: run</source>
        <translation>%1: Lauf</translation>
    </message>
    <message>
        <source>%1: the run whose model answers (newest first)</source>
        <translation>%1: der Lauf, dessen Modell antwortet (neuester zuerst)</translation>
    </message>
    <message>
        <source>%1: checkpoint</source>
        <translation>%1: Checkpoint</translation>
    </message>
    <message>
        <source>%1: the last checkpoint, the best, or one of a step</source>
        <translation>%1: der letzte Checkpoint, der beste oder der eines Schritts</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>Choose a run</source>
        <translation>Lauf wählen</translation>
    </message>
    <message>
        <source>%1 · other data</source>
        <translation>%1 · andere Daten</translation>
    </message>
    <message>
        <source>Trained on the data %1; the lists shown are of %2. Only lists of the same data can be compared.</source>
        <translation>Trainiert auf den Daten %1; die gezeigten Listen sind von %2. Nur Listen derselben Daten lassen sich vergleichen.</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>Letzter</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Bester</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::NoticeRow</name>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Close the notice</source>
        <translation>Hinweis schließen</translation>
    </message>
    <message>
        <source>Closes this notice</source>
        <translation>Schließt diesen Hinweis</translation>
    </message>
</context>
<context>
    <name>parapet::ui::OptimizerPanel</name>
    <message>
        <source>Own optimizer for a table…</source>
        <translation>Eigener Optimierer für eine Tabelle…</translation>
    </message>
    <message>
        <source>Gives a table an optimizer of its own, which starts as that of the experiment</source>
        <translation>Gibt einer Tabelle einen eigenen Optimierer, der wie der des Experiments beginnt</translation>
    </message>
    <message>
        <source>experiment&apos;s</source>
        <translation>des Experiments</translation>
    </message>
    <message>
        <source>Optimizer of the table %1</source>
        <translation>Optimierer der Tabelle %1</translation>
    </message>
    <message numerus="yes">
        <source>Optimizer of %n tables</source>
        <translation>
            <numerusform>Optimierer von %n Tabelle</numerusform>
            <numerusform>Optimierer von %n Tabellen</numerusform>
        </translation>
    </message>
    <message>
        <source>Optimizer of the layers</source>
        <translation>Optimierer der Schichten</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Of the layers and of the tables:
%1</source>
        <translation>Der Schichten und der Tabellen:
%1</translation>
    </message>
    <message>
        <source>There is no table</source>
        <translation>Es gibt keine Tabelle</translation>
    </message>
    <message>
        <source>Every table has an optimizer of its own</source>
        <translation>Jede Tabelle hat einen eigenen Optimierer</translation>
    </message>
    <message>
        <source>Give a table its own optimizer</source>
        <translation>Einer Tabelle einen eigenen Optimierer geben</translation>
    </message>
</context>
<context>
    <name>parapet::ui::OverlayPanel</name>
    <message>
        <source>Metric of the overlay</source>
        <translation>Metrik der Überlagerung</translation>
    </message>
    <message>
        <source>Draws a metric of the epochs, or the loss of the steps</source>
        <translation>Zeichnet eine Metrik der Epochen oder den Verlust der Schritte</translation>
    </message>
    <message>
        <source>Horizontal axis of the overlay</source>
        <translation>Waagerechte Achse der Überlagerung</translation>
    </message>
    <message>
        <source>Plots the curves over epochs, training steps or time</source>
        <translation>Zeichnet die Kurven über Epochen, Trainingsschritten oder Zeit</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Picture or values…</source>
        <translation>Bild oder Werte…</translation>
    </message>
    <message>
        <source>Save the overlay</source>
        <translation>Überlagerung speichern</translation>
    </message>
    <message>
        <source>Writes the picture (PNG, PDF, SVG) or its values (CSV, JSON)</source>
        <translation>Schreibt das Bild (PNG, PDF, SVG) oder seine Werte (CSV, JSON)</translation>
    </message>
    <message>
        <source>&amp;Metric</source>
        <translation>&amp;Metrik</translation>
    </message>
    <message>
        <source>&amp;over</source>
        <translation>&amp;über</translation>
    </message>
    <message>
        <source>%1 of the chosen runs</source>
        <translation>%1 der gewählten Läufe</translation>
    </message>
    <message>
        <source>Choose runs in the table: Ctrl adds one, Shift a range. Their curves are drawn over each other here.</source>
        <translation>Wählen Sie Läufe in der Tabelle: Strg nimmt einen hinzu, Umschalt einen Bereich. Ihre Kurven werden hier übereinander gezeichnet.</translation>
    </message>
    <message>
        <source>No epoch of the chosen runs has %1.</source>
        <translation>Keine Epoche der gewählten Läufe hat %1.</translation>
    </message>
    <message>
        <source>Export the overlay</source>
        <translation>Überlagerung exportieren</translation>
    </message>
    <message>
        <source>Picture (*.png *.pdf *.svg);;Numbers (*.csv *.json)</source>
        <translation>Bild (*.png *.pdf *.svg);;Zahlen (*.csv *.json)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PageBar</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Shows the page %1 (%2)</source>
        <translation>Zeigt die Seite %1 (%2)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PairedDifferencesModel</name>
    <message>
        <source>within chance</source>
        <translation>innerhalb des Zufalls</translation>
    </message>
    <message>
        <source>the first is higher</source>
        <translation>der erste ist höher</translation>
    </message>
    <message>
        <source>the second is higher</source>
        <translation>der zweite ist höher</translation>
    </message>
    <message>
        <source>the first is better</source>
        <translation>der erste ist besser</translation>
    </message>
    <message>
        <source>the second is better</source>
        <translation>der zweite ist besser</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Mean over the users of the first run&apos;s metric minus the second&apos;s</source>
        <translation>Mittel über die Nutzer: Metrik des ersten Laufs minus die des zweiten</translation>
    </message>
    <message>
        <source>Standard error</source>
        <translation>Standardfehler</translation>
    </message>
    <message>
        <source>Of the mean difference; both runs answer the same queries, so what makes a user easy or hard cancels out</source>
        <translation>Der mittleren Differenz; beide Läufe beantworten dieselben Anfragen, also hebt sich auf, was einen Nutzer leicht oder schwer macht</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>A difference counts beyond three standard errors</source>
        <translation>Eine Differenz zählt ab drei Standardfehlern</translation>
    </message>
    <message>
        <source>First run minus second, over the same held-out queries of %1 users</source>
        <translation>Erster Lauf minus zweiter, über dieselben zurückgehaltenen Anfragen von %1 Nutzern</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PlacementPanel</name>
    <message>
        <source>Placements that were considered</source>
        <translation>Erwogene Platzierungen</translation>
    </message>
    <message>
        <source>Table to place</source>
        <translation>Zu platzierende Tabelle</translation>
    </message>
    <message>
        <source>Table to place; its blocks are marked in the picture</source>
        <translation>Zu platzierende Tabelle; ihre Blöcke sind im Bild markiert</translation>
    </message>
    <message>
        <source>Placement of the table</source>
        <translation>Platzierung der Tabelle</translation>
    </message>
    <message>
        <source>Placement of the table: a replicated table costs memory on every device, a sharded one exchanges rows in every step.</source>
        <translation>Platzierung der Tabelle: Eine replizierte Tabelle kostet Speicher auf jedem Gerät, eine verteilte tauscht in jedem Schritt Zeilen aus.</translation>
    </message>
    <message>
        <source>Reason for the placement</source>
        <translation>Grund der Platzierung</translation>
    </message>
    <message>
        <source>Placement of</source>
        <translation>Platzierung von</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>The plan will show what each placement costs.</source>
        <translation>Der Plan wird zeigen, was jede Platzierung kostet.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PlanPanel</name>
    <message>
        <source>Plan again</source>
        <translation>Neu planen</translation>
    </message>
    <message>
        <source>Computes the placement of every table and the step time</source>
        <translation>Berechnet die Platzierung jeder Tabelle und die Schrittzeit</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stops planning and keeps what is shown, until it is planned again</source>
        <translation>Stoppt die Planung und behält, was zu sehen ist, bis neu geplant wird</translation>
    </message>
    <message>
        <source>Apply plan</source>
        <translation>Plan übernehmen</translation>
    </message>
    <message>
        <source>Writes the placements of the plan into the tables of the document</source>
        <translation>Schreibt die Platzierungen des Plans in die Tabellen des Dokuments</translation>
    </message>
    <message>
        <source>Import and plan</source>
        <translation>Importieren und planen</translation>
    </message>
    <message>
        <source>Imports the data, which a run then need not do, and plans with the sizes of their vocabularies</source>
        <translation>Importiert die Daten, was ein Lauf dann nicht mehr tun muss, und plant mit den Größen ihrer Vokabulare</translation>
    </message>
    <message>
        <source>Placement of each table</source>
        <translation>Platzierung jeder Tabelle</translation>
    </message>
    <message>
        <source>Memory and time of each device</source>
        <translation>Speicher und Zeit jedes Geräts</translation>
    </message>
    <message>
        <source>Summary of the plan</source>
        <translation>Zusammenfassung des Plans</translation>
    </message>
    <message>
        <source>Progress of the plan</source>
        <translation>Fortschritt des Plans</translation>
    </message>
    <message>
        <source>Bytes sent per step</source>
        <translation>Je Schritt gesendete Bytes</translation>
    </message>
    <message>
        <source>Rows read per step</source>
        <translation>Je Schritt gelesene Zeilen</translation>
    </message>
    <message>
        <source>Bytes on a device</source>
        <translation>Bytes auf einem Gerät</translation>
    </message>
    <message>
        <source>Colour of the tables</source>
        <translation>Farbe der Tabellen</translation>
    </message>
    <message>
        <source>Colours a table by the bytes that all devices send for it per step, by the rows that a step reads from its shard on a device, or by the bytes of that shard</source>
        <translation>Färbt eine Tabelle nach den Bytes, die alle Geräte je Schritt für sie senden, nach den Zeilen, die ein Schritt aus ihrem Shard auf einem Gerät liest, oder nach den Bytes dieses Shards</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Picture as PNG…</source>
        <translation>Bild als PNG…</translation>
    </message>
    <message>
        <source>Export the picture of the plan</source>
        <translation>Bild des Plans exportieren</translation>
    </message>
    <message>
        <source>Copy or save the picture of the plan</source>
        <translation>Kopiert oder speichert das Bild des Plans</translation>
    </message>
    <message>
        <source>View of the plan</source>
        <translation>Ansicht des Plans</translation>
    </message>
    <message>
        <source>Picture of the plan</source>
        <translation>Bild des Plans</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Devices as columns, tables as blocks</source>
        <translation>Geräte als Spalten, Tabellen als Blöcke</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>The same as a table; Ctrl+C copies it</source>
        <translation>Dasselbe als Tabelle; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Memory and time of each device; Ctrl+C copies it</source>
        <translation>Speicher und Zeit jedes Geräts; Strg+C kopiert sie</translation>
    </message>
    <message>
        <source>A plan is being made</source>
        <translation>Ein Plan wird gemacht</translation>
    </message>
    <message>
        <source>Fix the problems of the experiment first</source>
        <translation>Beheben Sie zuerst die Probleme des Experiments</translation>
    </message>
    <message>
        <source>No table leaves its placement to the planner</source>
        <translation>Keine Tabelle überlässt ihre Platzierung dem Planer</translation>
    </message>
    <message>
        <source>There is no plan of the present experiment</source>
        <translation>Es gibt keinen Plan des jetzigen Experiments</translation>
    </message>
    <message>
        <source>Planning: measuring this machine, then comparing placements.</source>
        <translation>Planung: Dieser Rechner wird gemessen, dann werden Platzierungen verglichen.</translation>
    </message>
    <message>
        <source>No plan: see below.</source>
        <translation>Kein Plan: siehe unten.</translation>
    </message>
    <message>
        <source>Not planned yet.</source>
        <translation>Noch nicht geplant.</translation>
    </message>
    <message>
        <source>A step of %1 rows takes about %2 on %3.</source>
        <translation>Ein Schritt mit %1 Zeilen dauert etwa %2 auf %3.</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>1 Gerät</translation>
    </message>
    <message numerus="yes">
        <source>%n devices</source>
        <translation>
            <numerusform>%n Gerät</numerusform>
            <numerusform>%n Geräte</numerusform>
        </translation>
    </message>
    <message>
        <source>The experiment has changed since this plan was made.</source>
        <translation>Das Experiment hat sich seit diesem Plan geändert.</translation>
    </message>
    <message>
        <source>Uniform access is assumed: the data are not imported.</source>
        <translation>Gleichmäßiger Zugriff ist angenommen: Die Daten sind nicht importiert.</translation>
    </message>
    <message>
        <source>The rows of the tables are known after the import.</source>
        <translation>Die Zeilenzahlen der Tabellen sind nach dem Import bekannt.</translation>
    </message>
    <message>
        <source>There are no data yet. Choose them in the step Data; then the tables are planned.</source>
        <translation>Es gibt noch keine Daten. Wählen Sie sie im Schritt „Daten“; dann werden die Tabellen geplant.</translation>
    </message>
    <message>
        <source>Fix the problems above.</source>
        <translation>Beheben Sie die Probleme oben.</translation>
    </message>
    <message>
        <source>The experiment has problems. Fix them to see the placement of each table.</source>
        <translation>Das Experiment hat Probleme. Beheben Sie sie, um die Platzierung jeder Tabelle zu sehen.</translation>
    </message>
    <message>
        <source>Here are shown the placement of each table, its bytes per device, the bytes sent per step and the step time. Nothing is trained.</source>
        <translation>Hier stehen die Platzierung jeder Tabelle, ihre Bytes je Gerät, die je Schritt gesendeten Bytes und die Schrittzeit. Nichts wird trainiert.</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Bilder (*.png)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PlanView</name>
    <message>
        <source>Tables on the devices</source>
        <translation>Tabellen auf den Geräten</translation>
    </message>
    <message>
        <source>The arrow keys go from block to block</source>
        <translation>Die Pfeiltasten gehen von Block zu Block</translation>
    </message>
    <message>
        <source>rows read per step: 0</source>
        <translation>je Schritt gelesene Zeilen: 0</translation>
    </message>
    <message>
        <source>bytes on a device: 0</source>
        <translation>Bytes auf einem Gerät: 0</translation>
    </message>
    <message>
        <source>bytes sent per step: 0</source>
        <translation>je Schritt gesendete Bytes: 0</translation>
    </message>
    <message>
        <source>layers and step buffers</source>
        <translation>Schichten und Schrittpuffer</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>%1 holds %2</source>
        <translation>%1 enthält %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PreviewModel</name>
    <message>
        <source>no value</source>
        <translation>kein Wert</translation>
    </message>
    <message>
        <source>%1, derived</source>
        <translation>%1, abgeleitet</translation>
    </message>
    <message>
        <source>time (UTC)</source>
        <translation>Zeit (UTC)</translation>
    </message>
    <message>
        <source>%1, of the item</source>
        <translation>%1, des Artikels</translation>
    </message>
    <message>
        <source>%1, of the user</source>
        <translation>%1, des Nutzers</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::PreviewPanel</name>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>First rows of the source</source>
        <translation>Erste Zeilen der Quelle</translation>
    </message>
    <message>
        <source>Rejected lines</source>
        <translation>Abgewiesene Zeilen</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Preview of the source</source>
        <translation>Vorschau der Quelle</translation>
    </message>
    <message>
        <source>No preview yet: drop a file above, or start from a recipe.</source>
        <translation>Noch keine Vorschau: Ziehen Sie oben eine Datei hinein, oder beginnen Sie mit einem Rezept.</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen…</translation>
    </message>
    <message>
        <source>The source cannot be read.</source>
        <translation>Die Quelle lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>Rejected lines (%1)</source>
        <translation>Abgewiesene Zeilen (%1)</translation>
    </message>
    <message>
        <source>Rejected lines (%1 of the first %2)</source>
        <translation>Abgewiesene Zeilen (%1 der ersten %2)</translation>
    </message>
    <message>
        <source>Roles are proposed from names and cells; correct them above the columns, and press Run.</source>
        <translation>Rollen sind aus Namen und Zellen vorgeschlagen; berichtigen Sie sie über den Spalten, und drücken Sie Starten.</translation>
    </message>
    <message>
        <source>Choose the role of each column above it.</source>
        <translation>Wählen Sie die Rolle jeder Spalte über ihr.</translation>
    </message>
    <message>
        <source>%1: %2 rows, %3 columns. %4</source>
        <translation>%1: %2 Zeilen, %3 Spalten. %4</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source> Only the first %1 rows were read so far; the others are being read.</source>
        <translation> Nur die ersten %1 Zeilen sind bisher gelesen; die übrigen werden gelesen.</translation>
    </message>
    <message>
        <source> Only the first %1 rows were read.</source>
        <translation> Nur die ersten %1 Zeilen wurden gelesen.</translation>
    </message>
    <message>
        <source>%1 of all %2 lines are rejected</source>
        <translation>%1 von allen %2 Zeilen sind abgewiesen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ProblemList</name>
    <message>
        <source>Problems and warnings</source>
        <translation>Probleme und Warnungen</translation>
    </message>
    <message>
        <source>A click on a line shows its field.</source>
        <translation>Ein Klick auf eine Zeile zeigt ihr Feld.</translation>
    </message>
    <message>
        <source>Changes the document; Undo takes it back</source>
        <translation>Ändert das Dokument; „Rückgängig“ nimmt es zurück</translation>
    </message>
    <message>
        <source>Trains a WordPiece vocabulary on the texts and stores it beside them</source>
        <translation>Trainiert ein WordPiece-Vokabular auf den Texten und legt es daneben ab</translation>
    </message>
    <message>
        <source>Asks first</source>
        <translation>Fragt zuerst</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ProblemsModel</name>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Zulässig</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>Beheben</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ProblemsPanel</name>
    <message>
        <source>1 problem</source>
        <translation>1 Problem</translation>
    </message>
    <message numerus="yes">
        <source>%n problems</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>1 warning</source>
        <translation>1 Warnung</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n Warnung</numerusform>
            <numerusform>%n Warnungen</numerusform>
        </translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>Keine Probleme</translation>
    </message>
    <message>
        <source> in the settings. Run (F5) reads the data and trains.</source>
        <translation> in den Einstellungen. Starten (F5) liest die Daten und trainiert.</translation>
    </message>
    <message>
        <source>. The experiment cannot run before the problems are fixed.</source>
        <translation>. Das Experiment läuft erst, wenn die Probleme behoben sind.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ProblemsPopup</name>
    <message>
        <source>Problems of the experiment</source>
        <translation>Probleme des Experiments</translation>
    </message>
    <message>
        <source>Problems that keep this experiment from running</source>
        <translation>Probleme, wegen derer dieses Experiment nicht läuft</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ProposalPanel</name>
    <message>
        <source>Propose an experiment</source>
        <translation>Experiment vorschlagen</translation>
    </message>
    <message>
        <source>Race variants of it</source>
        <translation>Varianten davon vergleichen</translation>
    </message>
    <message>
        <source>Use the settings of the sample</source>
        <translation>Einstellungen des Beispiels benutzen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Reasons of the proposal</source>
        <translation>Gründe des Vorschlags</translation>
    </message>
    <message>
        <source>Looks at the rows and sets everything: roles, split, model, loss, rate, evaluation</source>
        <translation>Sieht die Zeilen an und stellt alles ein: Rollen, Aufteilung, Modell, Verlust, Rate, Auswertung</translation>
    </message>
    <message>
        <source>Puts the data into the small model of the recipe &quot;sample&quot; instead, in one step that can be undone</source>
        <translation>Setzt die Daten stattdessen in das kleine Modell des Rezepts „sample“, in einem Schritt, der sich zurücknehmen lässt</translation>
    </message>
    <message>
        <source>Opens nothing and leaves everything as it is</source>
        <translation>Öffnet nichts und lässt alles, wie es ist</translation>
    </message>
    <message>
        <source>Progress of the proposal</source>
        <translation>Fortschritt des Vorschlags</translation>
    </message>
    <message>
        <source>Everything is as it was.</source>
        <translation>Alles ist wie zuvor.</translation>
    </message>
    <message>
        <source>Nothing could be proposed: choose the roles above the columns.</source>
        <translation>Nichts ließ sich vorschlagen: Wählen Sie die Rollen über den Spalten.</translation>
    </message>
    <message>
        <source>Looking at %1 …</source>
        <translation>%1 wird angesehen …</translation>
    </message>
    <message>
        <source>Stop racing</source>
        <translation>Vergleich stoppen</translation>
    </message>
    <message>
        <source>Ends the race; the settings stay as they are</source>
        <translation>Beendet den Vergleich; die Einstellungen bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>Proposes an experiment, trains variants of it for a thousand steps each at most (last items with tables of their own, other temperatures), and keeps the best one on validation rows; about a minute. An edit ends the race</source>
        <translation>Schlägt ein Experiment vor, trainiert Varianten davon für je höchstens tausend Schritte (letzte Artikel mit eigenen Tabellen, andere Temperaturen) und behält die beste auf Validierungszeilen; etwa eine Minute. Eine Änderung beendet den Vergleich</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RankPanel</name>
    <message>
        <source>Find an item: title or id</source>
        <translation>Artikel suchen: Titel oder Id</translation>
    </message>
    <message>
        <source>Find an item</source>
        <translation>Artikel suchen</translation>
    </message>
    <message>
        <source>Part of a title or an id; Enter shows the rank of the first match</source>
        <translation>Teil eines Titels oder einer Id; Eingabe zeigt den Rang des ersten Treffers</translation>
    </message>
    <message>
        <source>Items found</source>
        <translation>Gefundene Artikel</translation>
    </message>
    <message>
        <source>Rank of the item</source>
        <translation>Rang des Artikels</translation>
    </message>
    <message>
        <source>Search an item, or select one of a list, to see its rank in every column</source>
        <translation>Suchen Sie einen Artikel oder wählen Sie einen in einer Liste, um seinen Rang in jeder Spalte zu sehen</translation>
    </message>
    <message>
        <source>No item has “%1” in title or id</source>
        <translation>Kein Artikel hat „%1“ in Titel oder Id</translation>
    </message>
    <message>
        <source>“%1” · %2</source>
        <translation>„%1“ · %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RatePanel</name>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Learning rates as a table</source>
        <translation>Lernraten als Tabelle</translation>
    </message>
    <message>
        <source>View of the learning rate</source>
        <translation>Ansicht der Lernrate</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message numerus="yes">
        <source>Over the %1 steps of the run.</source>
        <translation>
            <numerusform>Über den %1 Schritt des Laufs.</numerusform>
            <numerusform>Über die %1 Schritte des Laufs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Over %1 steps; the length of the run is known after the import.</source>
        <translation>
            <numerusform>Über %1 Schritt; die Länge des Laufs ist nach dem Import bekannt.</numerusform>
            <numerusform>Über %1 Schritte; die Länge des Laufs ist nach dem Import bekannt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::ReadPiecesModel</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Among the tokens of the text; [CLS] is 0</source>
        <translation>Unter den Token des Textes; [CLS] ist 0</translation>
    </message>
    <message>
        <source>Token that is read</source>
        <translation>Gelesenes Token</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RecipeTile</name>
    <message>
        <source>Open without data</source>
        <translation>Ohne Daten öffnen</translation>
    </message>
    <message>
        <source>Use the recipe %1</source>
        <translation>Rezept %1 benutzen</translation>
    </message>
    <message>
        <source>Choose its data…</source>
        <translation>Daten wählen…</translation>
    </message>
    <message>
        <source>Choose the data of %1</source>
        <translation>Daten von %1 wählen</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Choose a file of data for %1</source>
        <translation>Datei für %1 wählen</translation>
    </message>
    <message>
        <source>Download…</source>
        <translation>Herunterladen…</translation>
    </message>
    <message>
        <source>Download the data of %1</source>
        <translation>Daten von %1 herunterladen</translation>
    </message>
    <message>
        <source>Fetches %1, once its licence is accepted</source>
        <translation>Holt %1, sobald die Lizenz angenommen ist</translation>
    </message>
    <message>
        <source>The data of the recipe %1</source>
        <translation>Die Daten des Rezepts %1</translation>
    </message>
    <message>
        <source>Use this recipe</source>
        <translation>Dieses Rezept benutzen</translation>
    </message>
    <message>
        <source>Makes an experiment that cannot run until its data are chosen</source>
        <translation>Macht ein Experiment, das erst läuft, wenn seine Daten gewählt sind</translation>
    </message>
    <message>
        <source>Makes an experiment from this recipe; every value can be changed then</source>
        <translation>Macht ein Experiment aus diesem Rezept; jeder Wert lässt sich dann ändern</translation>
    </message>
    <message>
        <source>With the data %1</source>
        <translation>Mit den Daten %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RecipeTiles</name>
    <message>
        <source>Recipes that work at once</source>
        <translation>Rezepte, die sofort laufen</translation>
    </message>
    <message>
        <source>Recipes on data of your own</source>
        <translation>Rezepte für eigene Daten</translation>
    </message>
    <message>
        <source>Published, reproduced</source>
        <translation>Veröffentlicht, nachvollzogen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RecommendationModel</name>
    <message>
        <source>%1 (id %2)</source>
        <translation>%1 (Id %2)</translation>
    </message>
    <message>
        <source>Rank in the list, from 1</source>
        <translation>Rang in der Liste, ab 1</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Sprung</translation>
    </message>
    <message>
        <source>Ranks moved against the other list</source>
        <translation>Ränge, um die sich der Artikel gegen die andere Liste bewegt hat</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>Title in the catalogue</source>
        <translation>Titel im Katalog</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>What the model ranks by; the tooltip of a score says what it is</source>
        <translation>Wonach das Modell ordnet; der Tooltip eines Scores sagt, was er ist</translation>
    </message>
    <message>
        <source>Popularity</source>
        <translation>Popularität</translation>
    </message>
    <message>
        <source>Share of the candidates that are at most as popular in training</source>
        <translation>Anteil der Kandidaten, die im Training höchstens so beliebt sind</translation>
    </message>
    <message numerus="yes">
        <source>%1 training rows; %2 of the candidates have as many or fewer</source>
        <translation>
            <numerusform>%1 Trainingszeile; %2 der Kandidaten haben so viele oder weniger</numerusform>
            <numerusform>%1 Trainingszeilen; %2 der Kandidaten haben so viele oder weniger</numerusform>
        </translation>
    </message>
    <message>
        <source>Held out</source>
        <translation>Zurückgehalten</translation>
    </message>
    <message>
        <source>Whether a held-out row of the user has the item</source>
        <translation>Ob eine zurückgehaltene Zeile des Nutzers den Artikel hat</translation>
    </message>
    <message>
        <source>hit</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>history</source>
        <translation>Historie</translation>
    </message>
    <message>
        <source>seen</source>
        <translation>gesehen</translation>
    </message>
    <message>
        <source>Held-out hit: the user has a validation or test row with it</source>
        <translation>Treffer: Der Nutzer hat eine Validierungs- oder Testzeile damit</translation>
    </message>
    <message>
        <source>The model has read it in the history</source>
        <translation>Das Modell hat ihn in der Historie gelesen</translation>
    </message>
    <message>
        <source>The user has a training row with it</source>
        <translation>Der Nutzer hat eine Trainingszeile damit</translation>
    </message>
    <message>
        <source>equal scores, ordered by a hash of the id: %1</source>
        <translation>gleiche Scores, geordnet nach einem Hash der Id: %1</translation>
    </message>
    <message>
        <source>scores of a shared row: %1</source>
        <translation>Scores einer gemeinsamen Zeile: %1</translation>
    </message>
    <message>
        <source>Score (%1): %2</source>
        <translation>Score (%1): %2</translation>
    </message>
    <message>
        <source>
Another item of the list has the same; a hash of the id orders them</source>
        <translation>
Ein anderer Artikel der Liste hat denselben; ein Hash der Id ordnet sie</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>out</source>
        <translation>weg</translation>
    </message>
    <message>
        <source>Not in the other list</source>
        <translation>Nicht in der anderen Liste</translation>
    </message>
    <message>
        <source>Only in the list it is compared with</source>
        <translation>Nur in der Liste, mit der verglichen wird</translation>
    </message>
    <message>
        <source>The same rank in both lists</source>
        <translation>Derselbe Rang in beiden Listen</translation>
    </message>
    <message>
        <source>held-out hit</source>
        <translation>Treffer</translation>
    </message>
    <message numerus="yes">
        <source>
Its hashed row is that of %n more items, which the model cannot tell apart</source>
        <translation>
            <numerusform>
Seine gehashte Zeile ist die von %n weiteren Artikel, den das Modell nicht unterscheiden kann</numerusform>
            <numerusform>
Seine gehashte Zeile ist die von %n weiteren Artikeln, die das Modell nicht unterscheiden kann</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::ReplayBar</name>
    <message>
        <source>Replay how the list grew over the checkpoints of the run</source>
        <translation>Spielt ab, wie die Liste über die Checkpoints des Laufs entstand</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Checkpoint of the run: ← and → go from one to the next, Esc gives up reading one</source>
        <translation>Checkpoint des Laufs: ← und → gehen zum nächsten, Esc gibt das Lesen auf</translation>
    </message>
    <message>
        <source>step %1 · %2 of %3</source>
        <translation>Schritt %1 · %2 von %3</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RoleHeader</name>
    <message>
        <source>not used</source>
        <translation>nicht benutzt</translation>
    </message>
    <message>
        <source>user</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>item</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>feature</source>
        <translation>Merkmal</translation>
    </message>
    <message>
        <source>number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Role of the column %1</source>
        <translation>Rolle der Spalte %1</translation>
    </message>
    <message>
        <source>Role of the column %1: user, item, label, weight, context, time, id feature of user or item, or dense feature</source>
        <translation>Rolle der Spalte %1: Nutzer, Artikel, Label, Gewicht, Kontext, Zeit, Id-Merkmal von Nutzer oder Artikel oder dichtes Merkmal</translation>
    </message>
    <message>
        <source>Proposed, because of %1. %2</source>
        <translation>Vorgeschlagen, wegen: %1. %2</translation>
    </message>
    <message>
        <source>integer, role proposed</source>
        <translation>Ganzzahl, Rolle vorgeschlagen</translation>
    </message>
    <message>
        <source>%1, role proposed</source>
        <translation>%1, Rolle vorgeschlagen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RowSettings</name>
    <message>
        <source>Settings of the selected row</source>
        <translation>Einstellungen der gewählten Zeile</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunActions</name>
    <message>
        <source>Run %1 has no checkpoint to begin with</source>
        <translation>Lauf %1 hat keinen Checkpoint zum Beginnen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunCommands</name>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>&amp;Einreihen</translation>
    </message>
    <message>
        <source>&amp;Go on with the queue</source>
        <translation>&amp;Warteschlange fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>S&amp;tep</source>
        <translation>E&amp;inzelschritt</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>S&amp;topp</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message numerus="yes">
        <source>…and %n more</source>
        <translation>
            <numerusform>… und %n weiteres</numerusform>
            <numerusform>… und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>The experiment cannot run:</source>
        <translation>Das Experiment läuft nicht:</translation>
    </message>
    <message>
        <source>; 1 run waits before it</source>
        <translation>; 1 Lauf wartet davor</translation>
    </message>
    <message numerus="yes">
        <source>; %n runs wait before it</source>
        <translation>
            <numerusform>; %n Lauf wartet davor</numerusform>
            <numerusform>; %n Läufe warten davor</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Queue after %1</source>
        <translation>&amp;Nach %1 einreihen</translation>
    </message>
    <message>
        <source>Trains the experiment, as it is now, when %1 has ended%2 (F5)</source>
        <translation>Trainiert das Experiment, wie es jetzt ist, wenn %1 beendet ist%2 (F5)</translation>
    </message>
    <message>
        <source>Trains the experiment in this window (F5)</source>
        <translation>Trainiert das Experiment in diesem Fenster (F5)</translation>
    </message>
    <message>
        <source>Trains the experiment, as it is now, when no run of the workspace is under way%1 (Ctrl+F5)</source>
        <translation>Trainiert das Experiment, wie es jetzt ist, wenn kein Lauf des Arbeitsbereichs trainiert%1 (Strg+F5)</translation>
    </message>
    <message>
        <source>Starts the runs that wait, one after another</source>
        <translation>Startet die wartenden Läufe, einen nach dem anderen</translation>
    </message>
    <message>
        <source>The queue is not on hold</source>
        <translation>Die Warteschlange ist nicht angehalten</translation>
    </message>
    <message>
        <source>No run waits in the queue</source>
        <translation>Kein Lauf wartet in der Warteschlange</translation>
    </message>
    <message>
        <source>%1, which process %2 trains</source>
        <translation>%1, den Prozess %2 trainiert</translation>
    </message>
    <message>
        <source>C&amp;ontinue</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Asks %1, to go on (F6)</source>
        <translation>Bittet %1, fortzufahren (F6)</translation>
    </message>
    <message>
        <source>Asks %1, to pause (F6)</source>
        <translation>Bittet %1, zu pausieren (F6)</translation>
    </message>
    <message>
        <source>Process %1 was asked to stop it</source>
        <translation>Prozess %1 wurde gebeten, ihn zu stoppen</translation>
    </message>
    <message>
        <source>Process %1 was asked to go on</source>
        <translation>Prozess %1 wurde gebeten fortzufahren</translation>
    </message>
    <message>
        <source>Process %1 was asked to pause it</source>
        <translation>Prozess %1 wurde gebeten, ihn anzuhalten</translation>
    </message>
    <message>
        <source>The run is being prepared</source>
        <translation>Der Lauf wird vorbereitet</translation>
    </message>
    <message>
        <source>Single steps are taken in the window that trains</source>
        <translation>Einzelschritte macht das Fenster, das trainiert</translation>
    </message>
    <message>
        <source>Asks %1, to stop after its step with a checkpoint (Shift+F5)</source>
        <translation>Bittet %1, nach dem Schritt mit einem Checkpoint zu stoppen (Umschalt+F5)</translation>
    </message>
    <message>
        <source>No run is under way</source>
        <translation>Kein Lauf trainiert</translation>
    </message>
    <message>
        <source>The run is stopping</source>
        <translation>Der Lauf stoppt gerade</translation>
    </message>
    <message>
        <source>Continues the training (F6)</source>
        <translation>Setzt das Training fort (F6)</translation>
    </message>
    <message>
        <source>Pauses after this step; nothing is lost (F6)</source>
        <translation>Pausiert nach diesem Schritt; nichts geht verloren (F6)</translation>
    </message>
    <message>
        <source>Trains one step and pauses again; only while paused (F10)</source>
        <translation>Trainiert einen Schritt und pausiert wieder; nur während einer Pause (F10)</translation>
    </message>
    <message>
        <source>Pause the run first</source>
        <translation>Pausieren Sie zuerst den Lauf</translation>
    </message>
    <message>
        <source>Stops after this step and writes a checkpoint to resume from (Shift+F5)</source>
        <translation>Stoppt nach diesem Schritt und schreibt einen Checkpoint zum Fortsetzen (Umschalt+F5)</translation>
    </message>
    <message>
        <source>Nothing can be trained: %1</source>
        <translation>Nichts kann trainiert werden: %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunController</name>
    <message>
        <source>validating</source>
        <translation>validiert</translation>
    </message>
    <message>
        <source>training</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>saving</source>
        <translation>speichert</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>bereitet vor</translation>
    </message>
    <message>
        <source>%1 (Stop goes on without it)</source>
        <translation>%1 (Stopp fährt ohne ihn fort)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunGlimpse</name>
    <message>
        <source>Top 3 of user %1</source>
        <translation>Top 3 von Nutzer %1</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunHeader</name>
    <message>
        <source>State of the run</source>
        <translation>Zustand des Laufs</translation>
    </message>
    <message>
        <source>Show the running run</source>
        <translation>Laufenden Lauf zeigen</translation>
    </message>
    <message>
        <source>Another run trains in this window: show it</source>
        <translation>In diesem Fenster trainiert ein anderer Lauf: ihn zeigen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Asks the process that trains the run</source>
        <translation>Bittet den Prozess, der den Lauf trainiert</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Asks the process that trains the run to stop it with a checkpoint</source>
        <translation>Bittet den Prozess, der den Lauf trainiert, ihn mit einem Checkpoint zu stoppen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on from the newest checkpoint of this run</source>
        <translation>Beim neuesten Checkpoint dieses Laufs fortsetzen</translation>
    </message>
    <message>
        <source>Browse</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Ask the newest checkpoint of this run for recommendations</source>
        <translation>Den neuesten Checkpoint dieses Laufs nach Empfehlungen fragen</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>Alle Läufe</translation>
    </message>
    <message>
        <source>The table of all runs</source>
        <translation>Die Tabelle aller Läufe</translation>
    </message>
    <message>
        <source>Why?</source>
        <translation>Warum?</translation>
    </message>
    <message>
        <source>Why published and true curves differ</source>
        <translation>Warum veröffentlichte und wahre Kurven verschieden sind</translation>
    </message>
    <message>
        <source>Show why published and true curves differ</source>
        <translation>Zeigen, warum veröffentlichte und wahre Kurven verschieden sind</translation>
    </message>
    <message>
        <source>Name of the run: %1</source>
        <translation>Name des Laufs: %1</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>aus %1</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>The run has not begun to train</source>
        <translation>Der Lauf hat noch nicht zu trainieren begonnen</translation>
    </message>
    <message>
        <source>Published run: %1. Compare its training loss with the loss as displayed.</source>
        <translation>Veröffentlichter Lauf: %1. Vergleichen Sie seinen Trainingsverlust mit dem Verlust „wie angezeigt“.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunToolbar</name>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Show the problems of the experiment</source>
        <translation>Probleme des Experiments zeigen</translation>
    </message>
    <message>
        <source>%1 queued, on hold</source>
        <translation>%1 wartend, angehalten</translation>
    </message>
    <message>
        <source>%1 queued</source>
        <translation>%1 wartend</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Runs that wait, in their order; a click shows them in Runs:</source>
        <translation>Wartende Läufe, in ihrer Reihenfolge; ein Klick zeigt sie unter „Läufe“:</translation>
    </message>
    <message>
        <source>1 problem</source>
        <translation>1 Problem</translation>
    </message>
    <message numerus="yes">
        <source>%n problems</source>
        <translation>
            <numerusform>%n Problem</numerusform>
            <numerusform>%n Probleme</numerusform>
        </translation>
    </message>
    <message>
        <source>Problems that keep the experiment from running; a click lists them</source>
        <translation>Probleme, wegen derer das Experiment nicht läuft; ein Klick listet sie auf</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunsModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Differs in</source>
        <translation>Anders in</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Model / loss</source>
        <translation>Modell / Verlust</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Best val_loss</source>
        <translation>Bester val_loss</translation>
    </message>
    <message>
        <source>Last loss</source>
        <translation>Letzter Verlust</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>In what the run differs from the others of its name</source>
        <translation>Worin sich der Lauf von den anderen seines Namens unterscheidet</translation>
    </message>
    <message>
        <source>Run %1. F2 or a double click renames it.</source>
        <translation>Lauf %1. F2 oder ein Doppelklick benennt ihn um.</translation>
    </message>
    <message>
        <source>In epoch %1</source>
        <translation>In Epoche %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunsPage</name>
    <message>
        <source>Moved a run to the trash</source>
        <translation>Einen Lauf in den Papierkorb verschoben</translation>
    </message>
    <message numerus="yes">
        <source>Moved %n runs to the trash</source>
        <translation>
            <numerusform>%n Lauf in den Papierkorb verschoben</numerusform>
            <numerusform>%n Läufe in den Papierkorb verschoben</numerusform>
        </translation>
    </message>
    <message>
        <source>The experiment of run %1 can be edited now</source>
        <translation>Das Experiment von Lauf %1 lässt sich jetzt bearbeiten</translation>
    </message>
    <message>
        <source>A fork of run %1 can be edited now; Run (F5) starts it</source>
        <translation>Ein Abzweig von Lauf %1 lässt sich jetzt bearbeiten; Starten (F5) startet ihn</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n files written</source>
        <translation>
            <numerusform>%n Datei geschrieben</numerusform>
            <numerusform>%n Dateien geschrieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose a single run</source>
        <translation>Wählen Sie einen einzelnen Lauf</translation>
    </message>
    <message>
        <source>Choose a run first</source>
        <translation>Wählen Sie zuerst einen Lauf</translation>
    </message>
    <message>
        <source>It waits in the queue and has no model yet</source>
        <translation>Er wartet in der Warteschlange und hat noch kein Modell</translation>
    </message>
    <message>
        <source>It is in the trash</source>
        <translation>Er liegt im Papierkorb</translation>
    </message>
    <message>
        <source>A run is under way</source>
        <translation>Ein Lauf trainiert</translation>
    </message>
    <message>
        <source>Only a run that ended before its last epoch goes on</source>
        <translation>Nur ein Lauf, der vor seiner letzten Epoche endete, lässt sich fortsetzen</translation>
    </message>
    <message>
        <source>Choose two runs or more</source>
        <translation>Wählen Sie zwei oder mehr Läufe</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter arbeiten</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Its process was asked and has not answered yet</source>
        <translation>Sein Prozess wurde gebeten und hat noch nicht geantwortet</translation>
    </message>
    <message>
        <source>Only a single run that trains can be paused</source>
        <translation>Nur ein einzelner trainierender Lauf lässt sich anhalten</translation>
    </message>
    <message>
        <source>Its process was asked to stop it and has not answered yet</source>
        <translation>Sein Prozess wurde um einen Stopp gebeten und hat noch nicht geantwortet</translation>
    </message>
    <message>
        <source>Only runs that train or wait can be stopped</source>
        <translation>Nur Läufe, die trainieren oder warten, lassen sich stoppen</translation>
    </message>
    <message>
        <source>It is the first of the queue</source>
        <translation>Er ist der erste der Warteschlange</translation>
    </message>
    <message>
        <source>Choose a run that waits</source>
        <translation>Wählen Sie einen wartenden Lauf</translation>
    </message>
    <message>
        <source>It is the last of the queue</source>
        <translation>Er ist der letzte der Warteschlange</translation>
    </message>
    <message>
        <source>Choose a run to see what can be done with it, two or more to compare them.</source>
        <translation>Wählen Sie einen Lauf, um zu sehen, was sich mit ihm tun lässt, oder mehrere zum Vergleichen.</translation>
    </message>
    <message numerus="yes">
        <source>%n runs chosen</source>
        <translation>
            <numerusform>%n Lauf gewählt</numerusform>
            <numerusform>%n Läufe gewählt</numerusform>
        </translation>
    </message>
    <message>
        <source>Process %1 was asked to stop it.</source>
        <translation>Prozess %1 wurde gebeten, ihn zu stoppen.</translation>
    </message>
    <message>
        <source>Process %1 was asked to pause it.</source>
        <translation>Prozess %1 wurde gebeten, ihn anzuhalten.</translation>
    </message>
    <message>
        <source>Process %1 was asked to go on.</source>
        <translation>Prozess %1 wurde gebeten fortzufahren.</translation>
    </message>
    <message>
        <source>Process %1 trains it.</source>
        <translation>Prozess %1 trainiert ihn.</translation>
    </message>
    <message>
        <source>No run matches “%1”</source>
        <translation>Kein Lauf passt zu „%1“</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Alle Läufe zeigen</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>Der Papierkorb ist leer</translation>
    </message>
    <message>
        <source>Back to the runs</source>
        <translation>Zurück zu den Läufen</translation>
    </message>
    <message>
        <source>No runs yet. Set up an experiment and press Run (F5).</source>
        <translation>Noch keine Läufe. Richten Sie ein Experiment ein und drücken Sie Starten (F5).</translation>
    </message>
    <message>
        <source>All runs are in the trash</source>
        <translation>Alle Läufe liegen im Papierkorb</translation>
    </message>
    <message>
        <source>Set up an experiment</source>
        <translation>Experiment einrichten</translation>
    </message>
    <message>
        <source>Show the trash</source>
        <translation>Papierkorb zeigen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Show in Train</source>
        <translation>Im Training zeigen</translation>
    </message>
    <message>
        <source>Curves and watched users of the run</source>
        <translation>Kurven und beobachtete Nutzer des Laufs</translation>
    </message>
    <message>
        <source>Browse</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Ask the newest checkpoint for recommendations</source>
        <translation>Den neuesten Checkpoint nach Empfehlungen fragen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>The chosen runs beside each other; two or more</source>
        <translation>Die gewählten Läufe nebeneinander; zwei oder mehr</translation>
    </message>
    <message>
        <source>Clone</source>
        <translation>Klonen</translation>
    </message>
    <message>
        <source>Edit the experiment of the run as a new one</source>
        <translation>Das Experiment des Laufs als ein neues bearbeiten</translation>
    </message>
    <message>
        <source>Fork…</source>
        <translation>Abzweigen…</translation>
    </message>
    <message>
        <source>A new run that begins with a checkpoint of this one</source>
        <translation>Ein neuer Lauf, der mit einem Checkpoint von diesem beginnt</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on from the newest checkpoint</source>
        <translation>Beim neuesten Checkpoint fortsetzen</translation>
    </message>
    <message>
        <source>Pauses the run after its step, or goes on; asks the process that trains it</source>
        <translation>Hält den Lauf nach seinem Schritt an oder fährt fort; bittet den Prozess, der ihn trainiert</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stops runs after their step with a checkpoint, asking the process that trains them; takes waiting ones out of the queue</source>
        <translation>Stoppt Läufe nach ihrem Schritt mit einem Checkpoint und bittet den Prozess, der sie trainiert; nimmt wartende aus der Warteschlange</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Starts before the run that is before it in the queue</source>
        <translation>Startet vor dem Lauf, der in der Warteschlange davor steht</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Starts after the run that is behind it in the queue</source>
        <translation>Startet nach dem Lauf, der in der Warteschlange dahinter steht</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Checkpoint, tables, curves or recommendations as files</source>
        <translation>Checkpoint, Tabellen, Kurven oder Empfehlungen als Dateien</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Edit the name in place</source>
        <translation>Namen an Ort und Stelle bearbeiten</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>The chosen rows as text</source>
        <translation>Die gewählten Zeilen als Text</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>The runs can be brought back from the trash</source>
        <translation>Die Läufe lassen sich aus dem Papierkorb zurückholen</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Bring back from the trash</source>
        <translation>Aus dem Papierkorb zurückholen</translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation>Endgültig löschen…</translation>
    </message>
    <message>
        <source>Delete with all checkpoints; asks first</source>
        <translation>Löscht mit allen Checkpoints; fragt zuerst</translation>
    </message>
    <message>
        <source>Filter by name, state, data, model, recipe, notes, device or id</source>
        <translation>Filtern nach Name, Zustand, Daten, Modell, Rezept, Notizen, Gerät oder Id</translation>
    </message>
    <message>
        <source>Filter the runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>Shows the runs that hold every word (Ctrl+F)</source>
        <translation>Zeigt die Läufe, die jedes Wort enthalten (Strg+F)</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Show the deleted runs instead of the others</source>
        <translation>Die gelöschten Läufe statt der anderen zeigen</translation>
    </message>
    <message>
        <source>State of the chosen run</source>
        <translation>Zustand des gewählten Laufs</translation>
    </message>
    <message>
        <source>The usual next action for such a run</source>
        <translation>Der übliche nächste Schritt für so einen Lauf</translation>
    </message>
    <message>
        <source>What to do next</source>
        <translation>Was als Nächstes zu tun ist</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Details of the chosen runs</source>
        <translation>Einzelheiten der gewählten Läufe</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Runs to delete with their curves and checkpoints: %1. This cannot be undone.</source>
        <translation>Läufe, die mit Kurven und Checkpoints gelöscht werden: %1. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>parapet::ui::RunsTable</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SegmentsModel</name>
    <message>
        <source>Segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>user activity</source>
        <translation>Aktivität des Nutzers</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Training rows of the user</source>
        <translation>Trainingszeilen des Nutzers</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Standard error %1</source>
        <translation>Standardfehler %1</translation>
    </message>
    <message>
        <source>One user alone: the standard error is not known</source>
        <translation>Ein einziger Nutzer: Der Standardfehler ist nicht bekannt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SelfTest</name>
    <message>
        <source>The self-test was stopped</source>
        <translation>Der Selbsttest wurde gestoppt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SettingsDelegate</name>
    <message>
        <source>experiment&apos;s</source>
        <translation>des Experiments</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SettingsForm</name>
    <message>
        <source>Own %1</source>
        <translation>Eigene: %1</translation>
    </message>
    <message>
        <source>experiment&apos;s</source>
        <translation>des Experiments</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Benutzt</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Train %1</source>
        <translation>%1 trainieren</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Change kind</source>
        <translation>Art ändern</translation>
    </message>
</context>
<context>
    <name>parapet::ui::ShowAll</name>
    <message>
        <source>Show fewer</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message>
        <source>Show all %1</source>
        <translation>Alle %1 zeigen</translation>
    </message>
    <message>
        <source>Shows the first %1</source>
        <translation>Zeigt die ersten %1</translation>
    </message>
    <message>
        <source>Shows those further down, too</source>
        <translation>Zeigt auch die weiter unten</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SideFiles</name>
    <message>
        <source>Add %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SideFilesModel</name>
    <message>
        <source>found by itself</source>
        <translation>selbst gefunden</translation>
    </message>
    <message>
        <source>set by hand</source>
        <translation>von Hand gesetzt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SideFilesPanel</name>
    <message>
        <source>Catalogues</source>
        <translation>Kataloge</translation>
    </message>
    <message>
        <source>None: lists show ids. Add a file with an entry per item, or per user: titles stand in every list, attributes are columns that features can read.</source>
        <translation>Keine: Listen zeigen Ids. Fügen Sie eine Datei mit einem Eintrag je Artikel oder je Nutzer hinzu: Titel stehen dann in jeder Liste, Attribute sind Spalten, die Merkmale lesen können.</translation>
    </message>
    <message>
        <source>Choose a file of titles or attributes</source>
        <translation>Datei mit Titeln oder Attributen wählen</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Hinzufügen…</translation>
    </message>
    <message>
        <source>Chooses a text or Parquet file with an entry per item, or per user</source>
        <translation>Wählt eine Text- oder Parquet-Datei mit einem Eintrag je Artikel oder je Nutzer</translation>
    </message>
    <message>
        <source>Pretrained embeddings</source>
        <translation>Vortrainierte Embeddings</translation>
    </message>
    <message>
        <source>None: tables begin at random. Add a file of vectors by id; a table whose initializer names it begins with them.</source>
        <translation>Keine: Tabellen beginnen zufällig. Fügen Sie eine Datei mit Vektoren nach Id hinzu; eine Tabelle, deren Initialisierung sie nennt, beginnt mit ihnen.</translation>
    </message>
    <message>
        <source>Choose a file of vectors</source>
        <translation>Datei mit Vektoren wählen</translation>
    </message>
    <message>
        <source>Chooses a Parquet, NumPy or text file with a vector per id</source>
        <translation>Wählt eine Parquet-, NumPy- oder Textdatei mit einem Vektor je Id</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SimilarItemsModel</name>
    <message>
        <source>Item</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Cosine of the two item vectors in the model&apos;s own space, in −1 … 1</source>
        <translation>Kosinus der beiden Artikelvektoren im eigenen Raum des Modells, in −1 … 1</translation>
    </message>
    <message>
        <source>%1 (id %2)</source>
        <translation>%1 (Id %2)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SimilarPanel</name>
    <message>
        <source>Similar items</source>
        <translation>Ähnliche Artikel</translation>
    </message>
    <message>
        <source>Select an item of a list to see what is like it</source>
        <translation>Wählen Sie einen Artikel einer Liste, um zu sehen, was ihm ähnlich ist</translation>
    </message>
    <message>
        <source>Nearest to “%1”, by cosine in the model&apos;s own space</source>
        <translation>Am nächsten an „%1“, nach Kosinus im eigenen Raum des Modells</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SourceWatch</name>
    <message>
        <source>another experiment was opened</source>
        <translation>ein anderes Experiment wurde geöffnet</translation>
    </message>
    <message>
        <source>the race of variants is over and keeps what was proposed; its measurements are among the reasons</source>
        <translation>der Vergleich der Varianten ist vorbei und behält den Vorschlag; die Messungen stehen unter den Gründen</translation>
    </message>
    <message>
        <source>the race of variants is over and changed %1; its measurements are among the reasons</source>
        <translation>der Vergleich der Varianten ist vorbei und hat %1 geändert; die Messungen stehen unter den Gründen</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>The race of variants was ended: %1.</source>
        <translation>Der Vergleich der Varianten wurde beendet: %1.</translation>
    </message>
    <message>
        <source>Racing variants of %1</source>
        <translation>Varianten von %1 werden verglichen</translation>
    </message>
    <message>
        <source>: %1 %</source>
        <translation>: %1 %</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>, noch etwa %1</translation>
    </message>
    <message>
        <source>other settings take the place of those that raced</source>
        <translation>andere Einstellungen treten an die Stelle der verglichenen</translation>
    </message>
    <message>
        <source>every held-out row counts as relevant, since no column is a label</source>
        <translation>jede zurückgehaltene Zeile gilt als relevant, da keine Spalte ein Label ist</translation>
    </message>
    <message>
        <source>the loss is in-batch softmax, since no column is a label</source>
        <translation>der Verlust ist Softmax im Stapel, da keine Spalte ein Label ist</translation>
    </message>
    <message>
        <source>the experiment is named %1</source>
        <translation>das Experiment heißt %1</translation>
    </message>
    <message>
        <source>Use the data of %1</source>
        <translation>Daten von %1 benutzen</translation>
    </message>
    <message>
        <source>Propose an experiment for %1</source>
        <translation>Experiment für %1 vorschlagen</translation>
    </message>
    <message>
        <source>Leave out the column %1</source>
        <translation>Spalte %1 weglassen</translation>
    </message>
    <message>
        <source>Use the column %1 as %2</source>
        <translation>Spalte %1 als %2 benutzen</translation>
    </message>
    <message>
        <source>settings were changed, and its outcome would replace them</source>
        <translation>Einstellungen wurden geändert, und das Ergebnis würde sie ersetzen</translation>
    </message>
    <message>
        <source>%1 of %2 lines are rejected (%3 %), and an import fails above %4 %</source>
        <translation>%1 von %2 Zeilen sind abgewiesen (%3 %), und ein Import scheitert über %4 %</translation>
    </message>
    <message>
        <source>data whose lines can be read, or a larger share</source>
        <translation>Daten mit lesbaren Zeilen oder ein größerer Anteil</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SplitPanel</name>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Share [%]</source>
        <translation>Anteil [%]</translation>
    </message>
    <message>
        <source>First row</source>
        <translation>Erste Zeile</translation>
    </message>
    <message>
        <source>Last row</source>
        <translation>Letzte Zeile</translation>
    </message>
    <message>
        <source>Parts of the split</source>
        <translation>Teile der Aufteilung</translation>
    </message>
    <message>
        <source>Splitting…</source>
        <translation>Wird aufgeteilt…</translation>
    </message>
    <message>
        <source>The parts are shown on a timeline after the import.</source>
        <translation>Die Teile sind nach dem Import auf einer Zeitachse zu sehen.</translation>
    </message>
</context>
<context>
    <name>parapet::ui::SplitTimelineView</name>
    <message>
        <source>no rows</source>
        <translation>keine Zeilen</translation>
    </message>
    <message>
        <source>Rows of the parts of the split over time</source>
        <translation>Zeilen der Teile der Aufteilung über der Zeit</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>unbenutzt</translation>
    </message>
    <message>
        <source>%1 %2 (%3 %)</source>
        <translation>%1 %2 (%3 %)</translation>
    </message>
    <message>
        <source>The data have no times; the shares of the rows.</source>
        <translation>Die Daten haben keine Zeiten; gezeigt sind die Anteile der Zeilen.</translation>
    </message>
    <message>
        <source>from %1: %2</source>
        <translation>ab %1: %2</translation>
    </message>
    <message>
        <source>%1 rows, %2 %</source>
        <translation>%1 Zeilen, %2 %</translation>
    </message>
    <message>
        <source>, %1 to %2</source>
        <translation>, %1 bis %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::StatusView</name>
    <message>
        <source>Stop racing</source>
        <translation>Vergleich stoppen</translation>
    </message>
    <message>
        <source>Ends the race; the settings stay as they are</source>
        <translation>Beendet den Vergleich; die Einstellungen bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>State of the run</source>
        <translation>Zustand des Laufs</translation>
    </message>
    <message>
        <source>Load of the CPU</source>
        <translation>Last der CPU</translation>
    </message>
    <message>
        <source>CPU time of this program in the last second; %1 cores in all</source>
        <translation>CPU-Zeit dieses Programms in der letzten Sekunde; %1 Kerne insgesamt</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Resident memory of this program, of %1 in this machine</source>
        <translation>Belegter Speicher dieses Programms, von %1 in diesem Rechner</translation>
    </message>
    <message>
        <source>Work beside the runs</source>
        <translation>Arbeit neben den Läufen</translation>
    </message>
    <message>
        <source>Run %1 · %2</source>
        <translation>Lauf %1 · %2</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>CPU –</source>
        <translation>CPU –</translation>
    </message>
    <message>
        <source>CPU %1 %</source>
        <translation>CPU %1 %</translation>
    </message>
    <message>
        <source>RAM –</source>
        <translation>RAM –</translation>
    </message>
    <message>
        <source>RAM %1</source>
        <translation>RAM %1</translation>
    </message>
</context>
<context>
    <name>parapet::ui::StepBar</name>
    <message>
        <source>Steps of the experiment</source>
        <translation>Schritte des Experiments</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::TablesModel</name>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Rows of the table, OOV rows included.</source>
        <translation>Zeilen der Tabelle, einschließlich OOV-Zeilen.</translation>
    </message>
    <message>
        <source>Dim</source>
        <translation>Dim</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Bytes of the embeddings, counted once.</source>
        <translation>Bytes der Embeddings, einmal gezählt.</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Bytes of the optimizer state of this table, counted once.</source>
        <translation>Bytes des Optimiererzustands dieser Tabelle, einmal gezählt.</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>Features that look up this table.</source>
        <translation>Merkmale, die in dieser Tabelle nachschlagen.</translation>
    </message>
    <message>
        <source>Initializer</source>
        <translation>Initialisierung</translation>
    </message>
    <message>
        <source>Warm start</source>
        <translation>Warmstart</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Combiner</source>
        <translation>Combiner</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Achsen</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Cache rows</source>
        <translation>Cache-Zeilen</translation>
    </message>
    <message>
        <source>Cache hits</source>
        <translation>Cache-Treffer</translation>
    </message>
    <message>
        <source>Share of the rows of the steps of the last run that the devices had in their caches.</source>
        <translation>Anteil der Zeilen der Schritte des letzten Laufs, den die Geräte in ihren Caches hatten.</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>Trainierbar</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>after import</source>
        <translation>nach Import</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>1 table</source>
        <translation>1 Tabelle</translation>
    </message>
    <message numerus="yes">
        <source>%n tables</source>
        <translation>
            <numerusform>%n Tabelle</numerusform>
            <numerusform>%n Tabellen</numerusform>
        </translation>
    </message>
    <message>
        <source> · %1 rows · weights %2 · optimizer state %3</source>
        <translation> · %1 Zeilen · Gewichte %2 · Optimiererzustand %3</translation>
    </message>
    <message>
        <source> · rows of %1 known after the import</source>
        <translation> · Zeilen von %1 nach dem Import bekannt</translation>
    </message>
</context>
<context>
    <name>parapet::ui::TablesPage</name>
    <message>
        <source>Embedding tables</source>
        <translation>Einbettungstabellen</translation>
    </message>
    <message>
        <source>No table yet. Each maps the ids of a vocabulary to vectors: add one, or let the features of your columns bring theirs.</source>
        <translation>Noch keine Tabelle. Jede bildet die Ids eines Vokabulars auf Vektoren ab: Fügen Sie eine hinzu, oder lassen Sie die Merkmale Ihrer Spalten ihre mitbringen.</translation>
    </message>
    <message>
        <source>Features</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>No feature yet. Each reads a column of the data: add one for every column that the model should know.</source>
        <translation>Noch kein Merkmal. Jedes liest eine Spalte der Daten: Fügen Sie für jede Spalte eines hinzu, die das Modell kennen soll.</translation>
    </message>
    <message>
        <source>Import the data…</source>
        <translation>Daten importieren…</translation>
    </message>
    <message>
        <source>Look up the table</source>
        <translation>Tabelle nachschlagen</translation>
    </message>
    <message>
        <source>Totals of the tables</source>
        <translation>Summen der Tabellen</translation>
    </message>
    <message>
        <source>Memory of the run</source>
        <translation>Speicher des Laufs</translation>
    </message>
    <message>
        <source>Tables and features</source>
        <translation>Tabellen und Merkmale</translation>
    </message>
    <message>
        <source>Opens the step Data, which imports; then rows and bytes are known</source>
        <translation>Öffnet den Schritt „Daten“, der importiert; dann sind Zeilen und Bytes bekannt</translation>
    </message>
    <message>
        <source>Add a feature for each</source>
        <translation>Für jede ein Merkmal hinzufügen</translation>
    </message>
    <message>
        <source>Adds the features, the tables of vocabularies that have none yet, and what keeps the towers as wide as each other</source>
        <translation>Fügt die Merkmale hinzu, die Tabellen von Vokabularen, die noch keine haben, und was die Türme gleich breit hält</translation>
    </message>
    <message>
        <source>The selected feature shares the vectors of a table (Ctrl+T)</source>
        <translation>Das gewählte Merkmal teilt die Vektoren einer Tabelle (Strg+T)</translation>
    </message>
    <message>
        <source>Share a table with the selected feature…</source>
        <translation>Tabelle mit dem gewählten Merkmal teilen…</translation>
    </message>
    <message>
        <source>Add a feature for every column that none reads</source>
        <translation>Merkmal für jede ungelesene Spalte hinzufügen</translation>
    </message>
    <message>
        <source>Add an embedding table</source>
        <translation>Einbettungstabelle hinzufügen</translation>
    </message>
    <message>
        <source>No feature reads: %1</source>
        <translation>Kein Merkmal liest: %1</translation>
    </message>
    <message>
        <source>Add features</source>
        <translation>Merkmale hinzufügen</translation>
    </message>
    <message>
        <source>Tables &amp; features</source>
        <translation>Tabellen &amp; Merkmale</translation>
    </message>
</context>
<context>
    <name>parapet::ui::TermChart</name>
    <message>
        <source>Terms of the score, largest first</source>
        <translation>Terme des Scores, größter zuerst</translation>
    </message>
    <message>
        <source>%1 terms; the largest is dimension %2 with %3; the sum is %4</source>
        <translation>%1 Terme; der größte ist Dimension %2 mit %3; die Summe ist %4</translation>
    </message>
    <message>
        <source>term of each dimension, largest first</source>
        <translation>Term jeder Dimension, größter zuerst</translation>
    </message>
    <message>
        <source>%1; %2 smaller ones add up to %3</source>
        <translation>%1; %2 kleinere ergeben zusammen %3</translation>
    </message>
    <message>
        <source>Dimension %1: %2 (sum so far %3)</source>
        <translation>Dimension %1: %2 (Summe bis hier %3)</translation>
    </message>
    <message>
        <source>dimension %1</source>
        <translation>Dimension %1</translation>
    </message>
    <message>
        <source>%1, with those before it %2</source>
        <translation>%1, mit den vorigen %2</translation>
    </message>
</context>
<context>
    <name>parapet::ui::Tour</name>
    <message>
        <source>Your data</source>
        <translation>Ihre Daten</translation>
    </message>
    <message>
        <source>Drop a table of users and items here: CSV, Parquet, JSON, or a folder. A recipe below shows a finished experiment.</source>
        <translation>Legen Sie hier eine Tabelle mit Nutzern und Artikeln ab: CSV, Parquet, JSON oder einen Ordner. Ein Rezept darunter zeigt ein fertiges Experiment.</translation>
    </message>
    <message>
        <source>What was read</source>
        <translation>Was gelesen wurde</translation>
    </message>
    <message>
        <source>Preview shows the rows and the role of each column. Parapet proposes a model for your data, with reasons; you can edit all of it.</source>
        <translation>Die Vorschau zeigt die Zeilen und die Rolle jeder Spalte. Parapet schlägt ein Modell für Ihre Daten vor und begründet es; alles lässt sich bearbeiten.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Run trains the experiment in the background. Another experiment waits in the queue meanwhile. Stop keeps a checkpoint.</source>
        <translation>„Starten“ trainiert das Experiment im Hintergrund. Ein weiteres Experiment wartet solange in der Warteschlange. „Stopp“ behält einen Checkpoint.</translation>
    </message>
    <message>
        <source>Curves and the verdict</source>
        <translation>Kurven und Urteil</translation>
    </message>
    <message>
        <source>Curves grow while the run trains. The verdict compares the lists with the most popular items and with the strongest rival.</source>
        <translation>Die Kurven wachsen, während der Lauf trainiert. Das Urteil vergleicht die Listen mit den beliebtesten Artikeln und mit dem stärksten Rivalen.</translation>
    </message>
    <message>
        <source>Lists</source>
        <translation>Listen</translation>
    </message>
    <message>
        <source>Choose a user to see what the model recommends. A second column shows another context, checkpoint or run.</source>
        <translation>Wählen Sie einen Nutzer, um zu sehen, was das Modell empfiehlt. Eine zweite Spalte zeigt einen anderen Kontext, Checkpoint oder Lauf.</translation>
    </message>
    <message>
        <source>More devices, and the terminal</source>
        <translation>Mehr Geräte und das Terminal</translation>
    </message>
    <message>
        <source>The same experiment trains on several devices. The terminal does the same work with the command below.</source>
        <translation>Dasselbe Experiment trainiert auf mehreren Geräten. Das Terminal leistet dasselbe mit dem Befehl unten.</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Skip the tour</source>
        <translation>Rundgang überspringen</translation>
    </message>
    <message>
        <source>Tour of the window</source>
        <translation>Rundgang durch das Fenster</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
</context>
<context>
    <name>parapet::ui::TrainPage</name>
    <message>
        <source>The run</source>
        <translation>Der Lauf</translation>
    </message>
    <message>
        <source>Nothing has been trained yet</source>
        <translation>Noch wurde nichts trainiert</translation>
    </message>
    <message>
        <source>Set up an experiment and run it, or train the small sample
to see what this page shows. The sample takes a few seconds.</source>
        <translation>Richten Sie ein Experiment ein und starten Sie es, oder trainieren Sie
das kleine Beispiel, um zu sehen, was diese Seite zeigt. Das dauert einige Sekunden.</translation>
    </message>
    <message>
        <source>Train the sample</source>
        <translation>Beispiel trainieren</translation>
    </message>
    <message>
        <source>Generates 20,000 ratings and trains on them</source>
        <translation>Erzeugt 20,000 Bewertungen und trainiert damit</translation>
    </message>
    <message>
        <source>Set up an experiment</source>
        <translation>Experiment einrichten</translation>
    </message>
    <message>
        <source>Go to the Experiment page</source>
        <translation>Zur Seite „Experiment“</translation>
    </message>
    <message>
        <source>Show the experiment</source>
        <translation>Experiment zeigen</translation>
    </message>
    <message>
        <source>Goes to the page Experiment</source>
        <translation>Geht zur Seite „Experiment“</translation>
    </message>
    <message>
        <source>Show the run before</source>
        <translation>Vorigen Lauf zeigen</translation>
    </message>
    <message>
        <source>The run that this page showed before</source>
        <translation>Der Lauf, den diese Seite davor zeigte</translation>
    </message>
    <message>
        <source>Export the chart as a picture…</source>
        <translation>Diagramm als Bild exportieren…</translation>
    </message>
    <message>
        <source>Export the values of the chart…</source>
        <translation>Werte des Diagramms exportieren…</translation>
    </message>
    <message>
        <source>Show all of the curves</source>
        <translation>Kurven ganz zeigen</translation>
    </message>
    <message>
        <source>Watch a random user</source>
        <translation>Zufälligen Nutzer beobachten</translation>
    </message>
    <message>
        <source>Show the newest run</source>
        <translation>Neuesten Lauf zeigen</translation>
    </message>
    <message>
        <source>%1 did not start</source>
        <translation>%1 ist nicht gestartet</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter arbeiten</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Its process was asked to stop it</source>
        <translation>Sein Prozess wurde gebeten, ihn zu stoppen</translation>
    </message>
    <message>
        <source>Its process was asked and has not answered yet</source>
        <translation>Sein Prozess wurde gebeten und hat noch nicht geantwortet</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>A model folder does not train</source>
        <translation>Ein Modellordner trainiert nicht</translation>
    </message>
    <message>
        <source>It holds one trained model, without the data and the curves of its run: it answers questions. To train, open the workspace of the run, or any other.</source>
        <translation>Er enthält ein trainiertes Modell ohne die Daten und Kurven seines Laufs: Er beantwortet Fragen. Zum Trainieren öffnen Sie den Arbeitsbereich des Laufs oder einen anderen.</translation>
    </message>
    <message>
        <source>Browse the model</source>
        <translation>Modell erkunden</translation>
    </message>
    <message>
        <source>Goes to the page Browse</source>
        <translation>Wechselt zur Seite „Erkunden“</translation>
    </message>
</context>
<context>
    <name>parapet::ui::TrainingPage</name>
    <message>
        <source>Settings of the training</source>
        <translation>Einstellungen des Trainings</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Global batch size</source>
        <translation>Globale Stapelgröße</translation>
    </message>
    <message>
        <source>It counts sequences: every position of them is trained.</source>
        <translation>Sie zählt Sequenzen: Jede Position darin wird trainiert.</translation>
    </message>
    <message>
        <source>Batch size per device</source>
        <translation>Stapelgröße je Gerät</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>Gruppengröße</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>Mischen</translation>
    </message>
    <message>
        <source>Before each epoch</source>
        <translation>Vor jeder Epoche</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>Never: in the order of the data</source>
        <translation>Nie: in der Reihenfolge der Daten</translation>
    </message>
    <message>
        <source>Drop a short batch</source>
        <translation>Kurzen Stapel verwerfen</translation>
    </message>
    <message>
        <source>Rows shuffled together</source>
        <translation>Gemeinsam gemischte Zeilen</translation>
    </message>
    <message>
        <source>Keep in memory</source>
        <translation>Im Speicher halten</translation>
    </message>
    <message>
        <source>Fixed batches after epoch 1</source>
        <translation>Feste Stapel nach Epoche 1</translation>
    </message>
    <message>
        <source>over all devices</source>
        <translation>über alle Geräte</translation>
    </message>
    <message>
        <source>on each device</source>
        <translation>auf jedem Gerät</translation>
    </message>
    <message>
        <source>Batch size counts</source>
        <translation>Stapelgröße zählt</translation>
    </message>
    <message>
        <source>Whether the batch size counts the examples of all devices together or of each device.</source>
        <translation>Ob die Stapelgröße die Beispiele aller Geräte zusammen oder jedes Geräts zählt.</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Each row with its own history</source>
        <translation>Jede Zeile mit ihrer eigenen Historie</translation>
    </message>
    <message>
        <source>Next item at every position</source>
        <translation>Nächster Artikel an jeder Position</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Every row has a history of its own; the objective that trains all positions cuts windows</source>
        <translation>Jede Zeile hat eine eigene Historie; Fenster schneidet das Ziel, das alle Positionen trainiert</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>Validieren alle</translation>
    </message>
    <message>
        <source>Epochs between validations; 0: never.</source>
        <translation>Epochen zwischen Validierungen; 0: nie.</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Begin with another run</source>
        <translation>Mit einem anderen Lauf beginnen</translation>
    </message>
    <message>
        <source>Begin with a checkpoint</source>
        <translation>Mit einem Checkpoint beginnen</translation>
    </message>
    <message>
        <source>The weights, optimizer slots and position in the data of a run; off: initial weights</source>
        <translation>Gewichte, Zustände des Optimierers und Position in den Daten eines Laufs; aus: Anfangsgewichte</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Of a run; an empty step is its newest. Epochs count from the first of that run.</source>
        <translation>Eines Laufs; ein leerer Schritt ist sein neuester. Epochen zählen ab der ersten jenes Laufs.</translation>
    </message>
    <message>
        <source>Early stopping</source>
        <translation>Vorzeitiges Stoppen</translation>
    </message>
    <message>
        <source>Stop early</source>
        <translation>Vorzeitig stoppen</translation>
    </message>
    <message>
        <source>Ends the run when a metric stops improving</source>
        <translation>Beendet den Lauf, wenn eine Metrik nicht mehr besser wird</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>Geduld</translation>
    </message>
    <message>
        <source>Min. change</source>
        <translation>Min. Änderung</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Epochs between checkpoints; empty: at the end and at the best.</source>
        <translation>Epochen zwischen Checkpoints; leer: am Ende und beim besten.</translation>
    </message>
    <message>
        <source>Keep the last</source>
        <translation>Letzte behalten</translation>
    </message>
    <message>
        <source>Keep the best by</source>
        <translation>Besten behalten nach</translation>
    </message>
    <message>
        <source>Switch off: %1</source>
        <translation>%1 abschalten</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>List lengths</source>
        <translation>Listenlängen</translation>
    </message>
    <message>
        <source>Exclude seen</source>
        <translation>Gesehene ausschließen</translation>
    </message>
    <message>
        <source>Relevance threshold</source>
        <translation>Relevanzschwelle</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Published curve</source>
        <translation>Veröffentlichte Kurve</translation>
    </message>
    <message>
        <source>TensorBoard</source>
        <translation>TensorBoard</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Event files of the run, in a folder of its own there; empty: none.</source>
        <translation>Ereignisdateien des Laufs, dort in einem eigenen Ordner; leer: keine.</translation>
    </message>
    <message>
        <source>Lists of the catalogue</source>
        <translation>Listen des Katalogs</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>at every validation</source>
        <translation>bei jeder Validierung</translation>
    </message>
    <message>
        <source>at the last validation</source>
        <translation>bei der letzten Validierung</translation>
    </message>
    <message>
        <source>never in training</source>
        <translation>nie im Training</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>A query is</source>
        <translation>Eine Anfrage ist</translation>
    </message>
    <message>
        <source>what the query side reads</source>
        <translation>was die Anfrageseite liest</translation>
    </message>
    <message>
        <source>a user</source>
        <translation>ein Nutzer</translation>
    </message>
    <message>
        <source>a held-out row in its own context</source>
        <translation>eine zurückgehaltene Zeile in ihrem eigenen Kontext</translation>
    </message>
    <message>
        <source>Queries drawn</source>
        <translation>Gezogene Anfragen</translation>
    </message>
    <message>
        <source>Drawn by the seed of the training; empty: all.</source>
        <translation>Gezogen mit dem Seed des Trainings; leer: alle.</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Columns of ids, and activity: the training rows of the user.</source>
        <translation>Id-Spalten und activity: die Trainingszeilen des Nutzers.</translation>
    </message>
    <message>
        <source>Pairs known from training</source>
        <translation>Aus dem Training bekannte Paare</translation>
    </message>
    <message>
        <source>are to be found as others</source>
        <translation>sind zu finden wie andere</translation>
    </message>
    <message>
        <source>are left out</source>
        <translation>bleiben weg</translation>
    </message>
    <message>
        <source>Protocol of a benchmark</source>
        <translation>Protokoll eines Benchmarks</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>Yambda</source>
        <translation>Yambda</translation>
    </message>
    <message>
        <source>Yambda, as its stored code computes</source>
        <translation>Yambda, wie der veröffentlichte Code rechnet</translation>
    </message>
    <message>
        <source>Change what the batch size counts</source>
        <translation>Ändern, was die Stapelgröße zählt</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
</context>
<context>
    <name>parapet::ui::UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Bring the runs back</source>
        <translation>Läufe zurückholen</translation>
    </message>
    <message>
        <source>Bring the runs back from the trash</source>
        <translation>Läufe aus dem Papierkorb zurückholen</translation>
    </message>
</context>
<context>
    <name>parapet::ui::UserBoard</name>
    <message>
        <source>Lists side by side</source>
        <translation>Listen nebeneinander</translation>
    </message>
</context>
<context>
    <name>parapet::ui::UserColumn</name>
    <message>
        <source>overlap@%1 %2 · RBO %3 · %4 in, %5 out · %6 moved</source>
        <translation>overlap@%1 %2 · RBO %3 · %4 neu, %5 weg · %6 bewegt</translation>
    </message>
    <message>
        <source>User %1</source>
        <translation>Nutzer %1</translation>
    </message>
    <message>
        <source>another history</source>
        <translation>andere Historie</translation>
    </message>
    <message>
        <source>own history</source>
        <translation>eigene Historie</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Recommendations</source>
        <translation>Empfehlungen</translation>
    </message>
    <message>
        <source>Duplicate the column (Ctrl+D)</source>
        <translation>Spalte duplizieren (Strg+D)</translation>
    </message>
    <message>
        <source>Remove this column</source>
        <translation>Diese Spalte entfernen</translation>
    </message>
    <message>
        <source>Removes this column from the page</source>
        <translation>Entfernt diese Spalte von der Seite</translation>
    </message>
    <message>
        <source>Column %1, user %2</source>
        <translation>Spalte %1, Nutzer %2</translation>
    </message>
    <message numerus="yes">
        <source>history of %1 items</source>
        <translation>
            <numerusform>Historie mit %1 Artikel</numerusform>
            <numerusform>Historie mit %1 Artikeln</numerusform>
        </translation>
    </message>
    <message>
        <source>No lists for this column</source>
        <translation>Keine Listen für diese Spalte</translation>
    </message>
    <message>
        <source>Reading the list…</source>
        <translation>Die Liste wird gelesen…</translation>
    </message>
    <message>
        <source>
In: %1</source>
        <translation>
Neu: %1</translation>
    </message>
    <message>
        <source>
Out: %1</source>
        <translation>
Weg: %1</translation>
    </message>
    <message>
        <source>Against column 1: %1</source>
        <translation>Gegen Spalte 1: %1</translation>
    </message>
    <message>
        <source>Since step %1: %2</source>
        <translation>Seit Schritt %1: %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 rows · %2</source>
        <translation>
            <numerusform>%1 Zeile · %2</numerusform>
            <numerusform>%1 Zeilen · %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::UserFinder</name>
    <message>
        <source>Users found</source>
        <translation>Gefundene Nutzer</translation>
    </message>
    <message>
        <source>Enter shows the user, Ctrl+Enter adds the user beside the others</source>
        <translation>Eingabe zeigt den Nutzer, Strg+Eingabe stellt ihn neben die anderen</translation>
    </message>
    <message>
        <source>Find a user: id or attribute</source>
        <translation>Nutzer suchen: Id oder Attribut</translation>
    </message>
    <message>
        <source>Find a user</source>
        <translation>Nutzer suchen</translation>
    </message>
    <message>
        <source>Part of an id or of an attribute; Enter shows the user</source>
        <translation>Teil einer Id oder eines Attributs; Eingabe zeigt den Nutzer</translation>
    </message>
    <message>
        <source>By id</source>
        <translation>Nach Id</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Most active first</source>
        <translation>Aktivste zuerst</translation>
    </message>
    <message>
        <source>Least active first</source>
        <translation>Am wenigsten aktive zuerst</translation>
    </message>
    <message>
        <source>Worst recall first</source>
        <translation>Schlechtester Recall zuerst</translation>
    </message>
    <message>
        <source>Most sensitive to context first</source>
        <translation>Kontextempfindlichste zuerst</translation>
    </message>
    <message>
        <source>Order of the users</source>
        <translation>Reihenfolge der Nutzer</translation>
    </message>
    <message>
        <source>Order of the list; recall is recall@10 on held-out rows, sensitivity the share of the top 10 that another context changes</source>
        <translation>Reihenfolge der Liste; Recall ist recall@10 auf zurückgehaltenen Zeilen, Empfindlichkeit der Anteil der Top 10, den ein anderer Kontext ändert</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>Mischen</translation>
    </message>
    <message>
        <source>Another random order</source>
        <translation>Andere zufällige Reihenfolge</translation>
    </message>
    <message>
        <source>Users measured</source>
        <translation>Gemessene Nutzer</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel measuring the sensitivity</source>
        <translation>Messung der Empfindlichkeit abbrechen</translation>
    </message>
    <message>
        <source>Stops measuring and lists the users by id</source>
        <translation>Stoppt die Messung und listet die Nutzer nach Id</translation>
    </message>
    <message>
        <source>The model reads no context</source>
        <translation>Das Modell liest keinen Kontext</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the selected user in the current column (Enter)</source>
        <translation>Den gewählten Nutzer in der aktuellen Spalte zeigen (Eingabe)</translation>
    </message>
    <message>
        <source>Add beside</source>
        <translation>Daneben</translation>
    </message>
    <message>
        <source>Show the selected user beside the others, up to %1 (Ctrl+Enter)</source>
        <translation>Den gewählten Nutzer neben den anderen zeigen, bis zu %1 (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>No user has “%1” in id or attributes</source>
        <translation>Kein Nutzer hat „%1“ in Id oder Attributen</translation>
    </message>
    <message>
        <source>First %1 users; type to narrow</source>
        <translation>Erste %1 Nutzer; tippen Sie, um einzugrenzen</translation>
    </message>
    <message>
        <source>1 user</source>
        <translation>1 Nutzer</translation>
    </message>
    <message numerus="yes">
        <source>%1 users</source>
        <translation>
            <numerusform>%1 Nutzer</numerusform>
            <numerusform>%1 Nutzer</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::UserListModel</name>
    <message>
        <source>User</source>
        <translation>Nutzer</translation>
    </message>
    <message>
        <source>Raw id in the data</source>
        <translation>Rohe Id in den Daten</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>What the catalogue of users says</source>
        <translation>Was der Katalog der Nutzer sagt</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Activity: training rows of the user</source>
        <translation>Aktivität: Trainingszeilen des Nutzers</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>recall@10 on held-out rows as the run&apos;s evaluation measures it: %1; – if nothing is held out</source>
        <translation>recall@10 auf zurückgehaltenen Zeilen, wie die Auswertung des Laufs misst: %1; –, wenn nichts zurückgehalten ist</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Ändert sich</translation>
    </message>
    <message>
        <source>Context sensitivity: mean share of the top 10 that changes with another value of a context, 1 − overlap@10 with the list in the context of the last row</source>
        <translation>Kontextempfindlichkeit: mittlerer Anteil der Top 10, der sich mit einem anderen Wert eines Kontexts ändert, 1 − overlap@10 mit der Liste im Kontext der letzten Zeile</translation>
    </message>
    <message>
        <source>training items are candidates</source>
        <translation>Artikel des Trainings sind Kandidaten</translation>
    </message>
    <message>
        <source>training items left out</source>
        <translation>Artikel des Trainings fehlen</translation>
    </message>
    <message>
        <source>pairs known from training do not count</source>
        <translation>aus dem Training bekannte Paare zählen nicht</translation>
    </message>
    <message>
        <source>rows with a label of at least %1 count</source>
        <translation>Zeilen mit einem Label von mindestens %1 zählen</translation>
    </message>
    <message>
        <source>recall@10 –: no held-out row counts (%1)</source>
        <translation>recall@10 –: keine zurückgehaltene Zeile zählt (%1)</translation>
    </message>
    <message>
        <source>recall@10 %1 (%2)</source>
        <translation>recall@10 %1 (%2)</translation>
    </message>
    <message>
        <source>User %1 · %2 · %3 training rows · %4</source>
        <translation>Nutzer %1 · %2 · %3 Trainingszeilen · %4</translation>
    </message>
</context>
<context>
    <name>parapet::ui::VectorsModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Column of ids</source>
        <translation>Id-Spalte</translation>
    </message>
    <message>
        <source>Column of vectors</source>
        <translation>Vektorspalte</translation>
    </message>
    <message>
        <source>Ids of an array</source>
        <translation>Ids eines Arrays</translation>
    </message>
    <message>
        <source>file of vectors</source>
        <translation>Datei mit Vektoren</translation>
    </message>
</context>
<context>
    <name>parapet::ui::VerifyPanel</name>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>Largest difference</source>
        <translation>Größte Differenz</translation>
    </message>
    <message>
        <source>Differences by tensor</source>
        <translation>Differenzen nach Tensor</translation>
    </message>
    <message>
        <source>Twice on these devices: the same bits</source>
        <translation>Zweimal auf diesen Geräten: dieselben Bits</translation>
    </message>
    <message>
        <source>On these devices and on one: the same within rounding</source>
        <translation>Auf diesen Geräten und auf einem: bis auf Rundung gleich</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>Was verglichen wird</translation>
    </message>
    <message>
        <source>Both trainings begin with the same weights and see the same batches</source>
        <translation>Beide Trainings beginnen mit denselben Gewichten und sehen dieselben Stapel</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> Schritte</translation>
    </message>
    <message>
        <source>Steps of each training</source>
        <translation>Schritte jedes Trainings</translation>
    </message>
    <message>
        <source>Steps of each of the two trainings.
Accepted: 1 … %1</source>
        <translation>Schritte jedes der beiden Trainings.
Zulässig: 1 … %1</translation>
    </message>
    <message>
        <source>Verify the experiment</source>
        <translation>Experiment prüfen</translation>
    </message>
    <message>
        <source>Trains the steps twice, without keeping anything, and compares every tensor</source>
        <translation>Trainiert die Schritte zweimal, ohne etwas zu behalten, und vergleicht jeden Tensor</translation>
    </message>
    <message>
        <source>Cancel the check</source>
        <translation>Prüfung abbrechen</translation>
    </message>
    <message>
        <source>Stops the check; nothing of it is kept</source>
        <translation>Stoppt die Prüfung; nichts davon bleibt</translation>
    </message>
    <message>
        <source>Progress of the check</source>
        <translation>Fortschritt der Prüfung</translation>
    </message>
    <message>
        <source>What the check does now</source>
        <translation>Was die Prüfung gerade tut</translation>
    </message>
    <message>
        <source>Result of the check</source>
        <translation>Ergebnis der Prüfung</translation>
    </message>
    <message>
        <source>Terminal command of the check</source>
        <translation>Terminalbefehl der Prüfung</translation>
    </message>
    <message>
        <source>Does the same check in a terminal</source>
        <translation>Macht dieselbe Prüfung in einem Terminal</translation>
    </message>
    <message>
        <source>Copy the terminal command of the check</source>
        <translation>Terminalbefehl der Prüfung kopieren</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1, noch %2</translation>
    </message>
    <message>
        <source>Second training</source>
        <translation>Zweites Training</translation>
    </message>
    <message>
        <source>First training</source>
        <translation>Erstes Training</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>The check could not be made: %1</source>
        <translation>Die Prüfung ließ sich nicht machen: %1</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>no effect</source>
        <translation>ohne Wirkung</translation>
    </message>
    <message>
        <source>differ</source>
        <translation>verschieden</translation>
    </message>
    <message>
        <source>within %1 relative</source>
        <translation>bis auf %1 relativ</translation>
    </message>
    <message>
        <source>the same bits</source>
        <translation>dieselben Bits</translation>
    </message>
    <message>
        <source>largest difference %1, of the loss %2</source>
        <translation>größte Differenz %1, des Verlusts %2</translation>
    </message>
    <message>
        <source>every tensor has the same bits</source>
        <translation>jeder Tensor hat dieselben Bits</translation>
    </message>
    <message>
        <source>%1 of %2 tensors differ (%3)</source>
        <translation>%1 von %2 Tensoren sind verschieden (%3)</translation>
    </message>
    <message>
        <source> Weights that begin one last bit apart would not pass either: fewer steps tell more.</source>
        <translation> Gewichte, die sich anfangs im letzten Bit unterscheiden, würden auch nicht bestehen: Weniger Schritte sagen mehr.</translation>
    </message>
    <message>
        <source> The optimizer magnifies rounding: each step by itself, from the same weights, is within what is wanted.</source>
        <translation> Der Optimierer vergrößert Rundung: Jeder Schritt für sich, von denselben Gewichten aus, bleibt in dem, was verlangt ist.</translation>
    </message>
    <message>
        <source> %1 differ without effect on a loss: their gradient is 0 but for rounding, or they are statistics that follow such a weight.</source>
        <translation> %1 unterscheiden sich ohne Wirkung auf einen Verlust: Ihr Gradient ist bis auf Rundung 0, oder sie sind Statistiken, die einem solchen Gewicht folgen.</translation>
    </message>
    <message>
        <source>Passed: %1 (wanted: %2).</source>
        <translation>Bestanden: %1 (verlangt: %2).</translation>
    </message>
    <message>
        <source>Did not pass: %1 (wanted: %2).</source>
        <translation>Nicht bestanden: %1 (verlangt: %2).</translation>
    </message>
    <message>
        <source>A check is under way</source>
        <translation>Eine Prüfung läuft</translation>
    </message>
    <message>
        <source>Fix the problems of the experiment first</source>
        <translation>Beheben Sie zuerst die Probleme des Experiments</translation>
    </message>
    <message numerus="yes">
        <source>%n tensors agree (%1)</source>
        <translation>
            <numerusform>%n Tensor stimmt überein (%1)</numerusform>
            <numerusform>%n Tensoren stimmen überein (%1)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>parapet::ui::VocabulariesModel</name>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Min. count</source>
        <translation>Min. Anzahl</translation>
    </message>
    <message>
        <source>OOV policy</source>
        <translation>OOV-Regel</translation>
    </message>
    <message>
        <source>OOV buckets</source>
        <translation>OOV-Klassen</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>Vokabular</translation>
    </message>
</context>
<context>
    <name>parapet::ui::VocabularyTraining</name>
    <message>
        <source>Choose the texts first.</source>
        <translation>Wählen Sie zuerst die Texte.</translation>
    </message>
    <message>
        <source>Use the trained vocabulary</source>
        <translation>Trainiertes Vokabular benutzen</translation>
    </message>
    <message>
        <source>%1 tokens from %2 words, stored as %3</source>
        <translation>%1 Token aus %2 Wörtern, abgelegt als %3</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WarmStartForm</name>
    <message>
        <source>Rows of run</source>
        <translation>Zeilen von Lauf</translation>
    </message>
    <message>
        <source>The run whose rows the table begins with; None: the initializer alone</source>
        <translation>Der Lauf, mit dessen Zeilen die Tabelle beginnt; Keiner: nur die Initialisierung</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The table of that run; it has the same width</source>
        <translation>Die Tabelle jenes Laufs; sie ist gleich breit</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>The step whose rows are taken; Newest: the last one</source>
        <translation>Der Schritt, dessen Zeilen genommen werden; Neuester: der letzte</translation>
    </message>
    <message>
        <source>Rows are matched by raw id. Ids that the run did not know begin as the initializer says.</source>
        <translation>Zeilen werden über die rohe Id zugeordnet. Ids, die der Lauf nicht kannte, beginnen, wie die Initialisierung sagt.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>%1 · %2 wide</source>
        <translation>%1 · %2 breit</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>Neuester</translation>
    </message>
    <message>
        <source>Change the warm start</source>
        <translation>Warmstart ändern</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WatchedPanel</name>
    <message>
        <source>Random</source>
        <translation>Zufall</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>There is no model yet</source>
        <translation>Es gibt noch kein Modell</translation>
    </message>
    <message>
        <source>Nobody is watched yet</source>
        <translation>Noch wird niemand beobachtet</translation>
    </message>
    <message>
        <source>Choose a user first</source>
        <translation>Wählen Sie zuerst einen Nutzer</translation>
    </message>
    <message>
        <source>User id</source>
        <translation>Nutzer-Id</translation>
    </message>
    <message>
        <source>Id of a user to watch</source>
        <translation>Id eines zu beobachtenden Nutzers</translation>
    </message>
    <message>
        <source>Raw id of a user; Enter adds the user</source>
        <translation>Rohe Id eines Nutzers; Eingabe fügt ihn hinzu</translation>
    </message>
    <message>
        <source>Watch a random user</source>
        <translation>Zufälligen Nutzer beobachten</translation>
    </message>
    <message>
        <source>Watch a user drawn from the data set; needs a model</source>
        <translation>Beobachtet einen aus dem Datensatz gezogenen Nutzer; braucht ein Modell</translation>
    </message>
    <message>
        <source>Stop watching the user</source>
        <translation>Nutzer nicht mehr beobachten</translation>
    </message>
    <message>
        <source>Stop watching the chosen user (Delete)</source>
        <translation>Den gewählten Nutzer nicht mehr beobachten (Entf)</translation>
    </message>
    <message>
        <source>Lists of the watched users</source>
        <translation>Listen der beobachteten Nutzer</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Sprung</translation>
    </message>
    <message>
        <source>Add a user by id or at random, and see the top 10 of that user change while the run trains.</source>
        <translation>Fügen Sie einen Nutzer nach Id oder zufällig hinzu, und sehen Sie, wie sich seine Top 10 ändern, während der Lauf trainiert.</translation>
    </message>
    <message>
        <source>Watched users</source>
        <translation>Beobachtete Nutzer</translation>
    </message>
    <message>
        <source>Stop watching</source>
        <translation>Nicht mehr beobachten</translation>
    </message>
    <message>
        <source>Open in Browse</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Copy the lists as CSV</source>
        <translation>Listen als CSV kopieren</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WatchedSource</name>
    <message>
        <source>no checkpoint yet</source>
        <translation>noch kein Checkpoint</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WatchedUsersModel</name>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>Up by %1 since the previous list</source>
        <translation>%1 höher als in der vorigen Liste</translation>
    </message>
    <message>
        <source>Down by %1 since the previous list</source>
        <translation>%1 tiefer als in der vorigen Liste</translation>
    </message>
    <message>
        <source>Not in the previous list</source>
        <translation>Nicht in der vorigen Liste</translation>
    </message>
    <message>
        <source>User %1</source>
        <translation>Nutzer %1</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>%1 — waiting for a model</source>
        <translation>%1 — wartet auf ein Modell</translation>
    </message>
    <message>
        <source>%1 — step %2 · %3 candidates</source>
        <translation>%1 — Schritt %2 · %3 Kandidaten</translation>
    </message>
    <message>
        <source>Best of %1 items at step %2; items of the training rows are left out</source>
        <translation>Beste von %1 Artikeln bei Schritt %2; Artikel der Trainingszeilen fehlen</translation>
    </message>
    <message>
        <source>Best of %1 items at step %2; items the user has seen stay in</source>
        <translation>Beste von %1 Artikeln bei Schritt %2; gesehene Artikel bleiben darin</translation>
    </message>
    <message>
        <source>Rank %1: %2. %3</source>
        <translation>Rang %1: %2. %3</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>Artikel</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Sprung</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WhyPanel</name>
    <message>
        <source>Nearest items of the history</source>
        <translation>Nächste Artikel der Historie</translation>
    </message>
    <message>
        <source>This model reads user and item together, so its score is no dot product and has no terms. The tab Rank of an item compares this score with the others of the list; the items on the left are near by their embeddings.</source>
        <translation>Dieses Modell liest Nutzer und Artikel zusammen, darum ist sein Score kein Skalarprodukt und hat keine Terme. Der Reiter „Rang eines Artikels“ vergleicht diesen Score mit den anderen der Liste; die Artikel links sind nach ihren Embeddings nahe.</translation>
    </message>
    <message>
        <source>Shares of the features</source>
        <translation>Anteile der Merkmale</translation>
    </message>
    <message>
        <source>Terms of the score</source>
        <translation>Terme des Scores</translation>
    </message>
    <message>
        <source>By feature</source>
        <translation>Nach Merkmal</translation>
    </message>
    <message>
        <source>Split the score by feature</source>
        <translation>Score nach Merkmal aufteilen</translation>
    </message>
    <message>
        <source>What each feature of the query gives to the score; otherwise the terms of the dot product by dimension</source>
        <translation>Was jedes Merkmal der Anfrage zum Score beiträgt; sonst die Terme des Skalarprodukts nach Dimension</translation>
    </message>
    <message>
        <source>As table</source>
        <translation>Als Tabelle</translation>
    </message>
    <message>
        <source>Show the terms as a table</source>
        <translation>Terme als Tabelle zeigen</translation>
    </message>
    <message>
        <source>The same terms as a table, to read, copy or export</source>
        <translation>Dieselben Terme als Tabelle, zum Lesen, Kopieren oder Exportieren</translation>
    </message>
    <message>
        <source>Select an item of a list to see why it is there</source>
        <translation>Wählen Sie einen Artikel einer Liste, um zu sehen, warum er dort steht</translation>
    </message>
    <message>
        <source>“%1” for user %2: nearest of the history</source>
        <translation>„%1“ für Nutzer %2: am nächsten in der Historie</translation>
    </message>
    <message>
        <source>Score %1 = sum of %2 terms</source>
        <translation>Score %1 = Summe von %2 Termen</translation>
    </message>
    <message>
        <source>Score %1, the output of the model&apos;s layers</source>
        <translation>Score %1, die Ausgabe der Schichten des Modells</translation>
    </message>
    <message>
        <source>Score %1 = the shares of its features + %2 without any</source>
        <translation>Score %1 = die Anteile seiner Merkmale + %2 ohne sie</translation>
    </message>
    <message>
        <source>Score %1; layers mix the features, so their shares do not sum to it (%2 without any)</source>
        <translation>Score %1; Schichten mischen die Merkmale, darum ergeben ihre Anteile nicht die Summe (%2 ohne sie)</translation>
    </message>
</context>
<context>
    <name>parapet::ui::WorkspaceExperiments</name>
    <message>
        <source>Rename the experiment</source>
        <translation>Experiment umbenennen</translation>
    </message>
    <message>
        <source>The experiment was changed or deleted in another program. What was edited here goes on as %1; nothing is lost.</source>
        <translation>Das Experiment wurde in einem anderen Programm geändert oder gelöscht. Was hier bearbeitet wurde, geht als %1 weiter; nichts ist verloren.</translation>
    </message>
    <message>
        <source>The experiment stays %1: %2.</source>
        <translation>Das Experiment bleibt %1: %2.</translation>
    </message>
    <message>
        <source>%1 was deleted in another program. It is still open here; an edit makes it an experiment again.</source>
        <translation>%1 wurde in einem anderen Programm gelöscht. Hier ist es noch offen; eine Änderung macht es wieder zu einem Experiment.</translation>
    </message>
    <message>
        <source>Edits of another program</source>
        <translation>Änderungen eines anderen Programms</translation>
    </message>
    <message>
        <source>%1 was edited in another program; this window shows it as it is now. Undo brings back what was here.</source>
        <translation>%1 wurde in einem anderen Programm bearbeitet; dieses Fenster zeigt es, wie es jetzt ist. „Rückgängig“ holt zurück, was hier war.</translation>
    </message>
</context>
</TS>
